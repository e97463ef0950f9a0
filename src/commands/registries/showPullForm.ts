import * as vscode from 'vscode';

import { DisposableStore } from '../../lifetime.ts';
import type { FoundImage } from '../../engine/registries/registryImage.ts';
import { pullTarget } from '../../engine/images/pullImage.ts';
import { fullName } from '../../engine/options/reference.ts';
import type { CommandContext } from '../context.ts';
import { showAndWait, applyStepTitle } from '../forms/form.ts';
import { validationMessage } from '../forms/formRows.ts';
import { ImageSearch } from '../images/imageSearch.ts';
import { askPlatform } from '../forms/askPlatform.ts';
import { knownText, emptyTypedItem } from '../forms/askReference.ts';
import { formatItemText } from '../displayText.ts';

const { l10n } = vscode;

/**
 * Asks what to pull: typed, found by the engine, or one that was pulled lately or is here and may have become newer;
 * and for which platform, where the person wants another one than the engine's. Undefined where they leave.
 *
 * @param local the tags that are here.
 * @param before what was asked for before, to be changed.
 */
export async function showPullForm(
  context: CommandContext,
  local: readonly string[],
  before?: PullTarget,
): Promise<PullTarget | undefined> {
  let text = before?.reference ?? '';
  let platform = before?.platform;
  for (;;) {
    const answered = await new PullBox(context, local, platform).ask(text);
    if (!answered) return undefined;
    if (answered.kind === 'reference') {
      const { reference } = answered;
      return platform === undefined ? { reference } : { reference, platform };
    }
    ({ text } = answered);
    const chosen = await askPlatform(context, text, platform);
    if (chosen) platform = chosen.value;
  }
}

/** What a person wants pulled. */
export interface PullTarget {
  readonly reference: string;
  readonly platform?: string;
}

type BoxAnswer =
  | { readonly kind: 'reference'; readonly reference: string }
  | { readonly kind: 'platform'; readonly text: string };

interface BoxItem extends vscode.QuickPickItem {
  /** Undefined for a heading, and for a text that is no reference. */
  readonly reference?: string;
}

/** The box, shown once. */
class PullBox {
  readonly #pick = vscode.window.createQuickPick<BoxItem>();
  readonly #search: ImageSearch;
  readonly #known: readonly BoxItem[];
  #found: readonly BoxItem[] = [];

  constructor(context: CommandContext, local: readonly string[], platform: string | undefined) {
    const recent = context.recent.all();
    const others = local.filter((tag) => !recent.includes(tag));
    this.#known = [
      ...group(l10n.t('pulled recently'), recent.map(knownItem)),
      ...group(l10n.t('here, pull again'), others.map(knownItem)),
    ];
    this.#search = new ImageSearch(context, (images) => {
      this.#found = group(l10n.t('found by the engine'), images.map(foundItem));
      this.#paint();
    });
    applyStepTitle(this.#pick, {
      title: platform === undefined ? l10n.t('Pull Image') : l10n.t('Pull Image for {0}', platform),
    });
    this.#pick.placeholder = l10n.t(
      'An image, for example busybox:latest or ghcr.io/owner/name:tag',
    );
    this.#pick.buttons = [
      { iconPath: new vscode.ThemeIcon('chip'), tooltip: l10n.t('Choose the Platform…') },
    ];
  }

  ask(text: string): Promise<BoxAnswer | undefined> {
    const pick = this.#pick;
    pick.value = text;
    this.#type();
    return showAndWait(pick, (done) => {
      const subscriptions = new DisposableStore();
      subscriptions.add(this.#search);
      subscriptions.add(
        pick.onDidChangeValue(() => {
          this.#type();
        }),
      );
      subscriptions.add(
        pick.onDidTriggerButton(() => {
          done({ kind: 'platform', text: pick.value });
        }),
      );
      subscriptions.add(
        pick.onDidAccept(() => {
          const reference = pick.selectedItems[0]?.reference ?? knownText(pick.items, pick.value);
          if (reference !== undefined) done({ kind: 'reference', reference });
        }),
      );
      return subscriptions;
    });
  }

  #type(): void {
    this.#search.type(this.#pick.value);
    this.#paint();
  }

  /** What is found comes while somebody may be on their way down the list: they stay where they are. */
  #paint(): void {
    const pick = this.#pick;
    const active = pick.activeItems[0]?.reference;
    const isTyped = active === undefined || active === pick.items[0]?.reference;
    const others = [...this.#known, ...this.#found];
    const typed = typedItem(pick.value, others);
    pick.busy = this.#search.isBusy;
    pick.items = [typed ?? emptyTypedItem(), ...others];
    const same = isTyped ? undefined : pick.items.find((item) => item.reference === active);
    if (same) pick.activeItems = [same];
  }
}

/** A row for what is typed: what it means, or what is wrong with it. None where it is a known one anyway. */
function typedItem(text: string, known: readonly BoxItem[]): BoxItem | undefined {
  if (text === '' || known.some((item) => item.reference === text)) return undefined;
  const fault = validationMessage(() => pullTarget(text, l10n));
  if (fault !== undefined) {
    return {
      label: formatItemText(fault),
      iconPath: new vscode.ThemeIcon('error'),
      alwaysShow: true,
    };
  }
  const meant = fullName(pullTarget(text, l10n));
  return {
    label: formatItemText(text),
    description: formatItemText(meant === text ? l10n.t('pull') : l10n.t('pull {0}', meant)),
    iconPath: new vscode.ThemeIcon('arrow-right'),
    alwaysShow: true,
    reference: text,
  };
}

function group(heading: string, items: readonly BoxItem[]): readonly BoxItem[] {
  if (items.length === 0) return [];
  return [{ label: heading, kind: vscode.QuickPickItemKind.Separator }, ...items];
}

function knownItem(reference: string): BoxItem {
  return { label: formatItemText(reference), reference };
}

function foundItem({ name, description, stars, isOfficial }: FoundImage): BoxItem {
  const facts = [
    isOfficial ? l10n.t('official') : '',
    stars > 0 ? `★ ${stars}` : '',
    description,
  ].filter((fact) => fact !== '');
  return {
    label: formatItemText(name),
    description: formatItemText(facts.join(' · ')),
    iconPath: new vscode.ThemeIcon(isOfficial ? 'verified' : 'search'),
    // The engine has found it by rules of its own.
    alwaysShow: true,
    reference: name,
  };
}
