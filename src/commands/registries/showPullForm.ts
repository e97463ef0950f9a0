import * as l10n from '@vscode/l10n';
import { Emitter } from '../../base/lifetime.ts';
import type { FoundImage } from '../../engine/registries/registryImage.ts';
import { pullTarget } from '../../engine/images/pullImage.ts';
import { fullName } from '../../engine/options/reference.ts';
import type { CommandContext } from '../frame/commandContext.ts';
import { validationMessage } from '../ui/formRows.ts';
import { typedReference, withHeading, type ReferenceItem } from '../ui/askReference.ts';
import { ImageSearch } from './imageSearch.ts';
import { joinParts } from '../../views/format.ts';
import { askPlatform } from '../frame/askPlatform.ts';

/**
 * Asks for the image to pull: typed, found by search, pulled recently, or available locally. Also for a
 * platform, if the user wants another than the engine's. Resolves to undefined if the user cancels.
 *
 * @param local the tags of the local images.
 * @param before the previous values, to be edited.
 */
export async function showPullForm(
  context: CommandContext,
  local: readonly string[],
  before?: PullTarget,
): Promise<PullTarget | undefined> {
  let text = before?.reference ?? '';
  let platform = before?.platform;
  for (;;) {
    const answer = await askImage(context, local, text, platform);
    if (!answer) return undefined;
    const { reference } = answer.item;
    if (reference !== undefined) return { reference, platform };
    text = answer.typed;
    const chosen = await askPlatform(context, text, platform);
    if (chosen) platform = chosen.value;
  }
}

/** The image that the user wants to pull. */
export interface PullTarget {
  readonly reference: string;
  readonly platform?: string;
}

/** Shows the box once. Resolves to an image to pull, or to an item without a reference: the platform button. */
async function askImage(
  context: CommandContext,
  local: readonly string[],
  value: string,
  platform: string | undefined,
): Promise<{ readonly item: ReferenceItem; readonly typed: string } | undefined> {
  const known = knownItems(context, local);
  const changes = new Emitter<void>();
  let found: readonly ReferenceItem[] = [];
  let typed = '';
  const search = new ImageSearch(context, (images) => {
    found = withHeading(l10n.t('search results'), images.map(foundItem));
    changes.fire();
  });
  const all = (): readonly ReferenceItem[] => [...known, ...found];
  const problem = (text: string) => validationMessage(() => pullTarget(text));
  const tooltip = l10n.t('Select Platform...');
  try {
    const item = await context.ui.pick<ReferenceItem>({
      title: platform === undefined ? l10n.t('Pull Image') : l10n.t('Pull Image for {0}', platform),
      isStep: true,
      placeholder: l10n.t('Image name, for example busybox:latest or ghcr.io/owner/name:tag'),
      value,
      items: all,
      typedItem: (text) => typedReference(text, all(), problem, describePull),
      unlistedItem: (text) => all().find(({ reference }) => reference === text),
      onType: (text) => {
        typed = text;
        search.type(text);
      },
      onDidChange: changes.event,
      isBusy: () => search.isBusy,
      titleButton: { icon: 'chip', tooltip, item: { label: tooltip } },
    });
    return item && { item, typed };
  } finally {
    search.dispose();
  }
}

function knownItems(
  { window: { recent } }: CommandContext,
  local: readonly string[],
): readonly ReferenceItem[] {
  const pulled = recent.all();
  const others = local.filter((tag) => !pulled.includes(tag));
  return [
    ...withHeading(l10n.t('pulled recently'), pulled.map(knownItem)),
    ...withHeading(l10n.t('local, pull again'), others.map(knownItem)),
  ];
}

function describePull(text: string): string {
  const meant = fullName(pullTarget(text));
  return meant === text ? l10n.t('pull') : l10n.t('pull {0}', meant);
}

function knownItem(reference: string): ReferenceItem {
  return { label: reference, reference };
}

function foundItem({ name, description, stars, isOfficial }: FoundImage): ReferenceItem {
  const official = isOfficial ? l10n.t('official') : '';
  return {
    label: name,
    description: joinParts(official, stars > 0 ? `★ ${stars}` : '', description),
    icon: isOfficial ? 'verified' : 'search',
    // The engine has its own matching rules.
    alwaysShow: true,
    reference: name,
  };
}
