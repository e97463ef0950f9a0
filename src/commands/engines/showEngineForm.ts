import * as l10n from '@vscode/l10n';
import { homedir } from 'node:os';
import { parseEndpoint, type Machine } from '../../engine/http/endpoint.ts';
import { InputError } from '../../engine/errors.ts';
import type { EndpointCandidate } from '../../engine/discovery/endpointCandidate.ts';
import type { Engines } from '../../engines/engines.ts';
import { candidatesOf } from '../../engines/engineSpecs.ts';
import { otherCandidates } from '../../engines/otherCandidates.ts';
import {
  freeEngineName,
  hostSettingOf,
  nameFor,
  nameProblem,
  newEngineCandidate,
  type NewEngine,
} from '../../engines/newEngine.ts';
import { askChoice } from '../ui/askChoice.ts';
import { errorMessage } from '../ui/errorMessage.ts';
import { withHeading } from '../ui/askReference.ts';
import { formatName } from '../ui/formatNames.ts';
import { Emitter } from '../../base/lifetime.ts';
import { delay } from '../../base/time.ts';
import type { PickItem, Ui } from '../ui/ui.ts';
import { messageOf } from '../../base/translate.ts';

/**
 * Asks step by step. Escape goes back one step; at the first step it cancels, and the form resolves to
 * undefined.
 */
export async function showEngineForm(parts: EngineFormOptions): Promise<EngineDraft | undefined> {
  const candidates = newCandidates(parts);
  // If there is nothing to select, the form begins at the address.
  const hasNone = (await Promise.race([candidates, delay(FIRST_LOOK_MS)]))?.length === 0;
  let draft = parts.before ?? (hasNone ? { ...NOTHING, isTyped: true } : NOTHING);
  // After a failed attempt, begin at the address, the most likely error. For a detected address only the name
  // can be edited.
  let at = !hasNone && parts.before && (parts.before.isTyped || parts.isAdded) ? 1 : 0;
  for (;;) {
    const step = stepsOf(draft, parts).filter((one) => !hasNone || one !== askCandidate)[at];
    if (!step) return draft;
    const next = await step(draft, { ...parts, candidates, hasNone });
    const isGiven =
      step === askCandidate && next !== draft && next?.isTyped && next.engine.host !== '';
    if (next) {
      draft = next;
      at += isGiven ? 2 : 1;
    } else if (at === 0) return undefined;
    else at -= 1;
  }
}

/** Time to look for engines before the list is shown, in milliseconds. */
const FIRST_LOOK_MS = 300;

/** The current values of the form. */
export interface EngineDraft {
  /** Whether the address was typed, not picked. */
  readonly isTyped: boolean;
  readonly engine: NewEngine;
}

export interface EngineFormOptions {
  readonly ui: Ui;
  readonly title: string;
  /** Whether the engine gets a name and TLS settings of its own. The default engine is only an address. */
  readonly isAdded: boolean;
  readonly engines: Engines;
  readonly machine: Machine;
  readonly isNameUsed: (name: string) => boolean;
  /** The previous values, to be edited. */
  readonly before: EngineDraft | undefined;
}

const NOTHING: EngineDraft = { isTyped: false, engine: { name: '', host: '' } };

function stepsOf(
  { isTyped, engine }: EngineDraft,
  { isAdded }: EngineFormOptions,
): readonly AskStep[] {
  if (!isAdded) return isTyped ? [askCandidate, askAddress] : [askCandidate];
  if (!isTyped) return [askCandidate, askName];
  const encryption = isTcp(engine.host) ? [askEncryption] : [];
  return [askCandidate, askAddress, ...encryption, askName];
}

/** Further values that the steps need. */
interface Found {
  readonly candidates: Promise<readonly EndpointCandidate[]>;
  readonly hasNone: boolean;
}

type AskStep = (
  draft: EngineDraft,
  parts: EngineFormOptions & Found,
) => Promise<EngineDraft | undefined>;

/** Without a candidate or an address, the item "enter an address". */
interface CandidateItem extends PickItem {
  readonly candidate?: EndpointCandidate;
  /** The address that was typed. */
  readonly address?: string;
}

const askCandidate: AskStep = async (draft, parts) => {
  let found: readonly EndpointCandidate[] | undefined;
  const changes = new Emitter<void>();
  void parts.candidates.then((candidates) => {
    found = candidates;
    changes.fire();
  });
  const picked = await parts.ui.pick<CandidateItem>({
    title: parts.title,
    isStep: true,
    placeholder: l10n.t('Select an engine or enter an address'),
    matchOnDescription: true,
    items: () => candidateItems(found ?? []),
    typedItem: (text) => typedAddress(text, parts),
    isBusy: () => found === undefined,
    onDidChange: changes.event,
  });
  if (!picked) return undefined;
  const { candidate, address } = picked;
  if (address !== undefined) return { isTyped: true, engine: { name: '', host: address } };
  if (!candidate) return draft.isTyped ? draft : { ...NOTHING, isTyped: true };
  return { isTyped: false, engine: { name: candidate.name, host: hostSettingOf(candidate) } };
};

/** Returns the item for a typed address; undefined for text that only filters the list. */
function typedAddress(text: string, parts: EngineFormOptions): CandidateItem | undefined {
  const address = text.trim();
  if (!/[:/\\]/.test(address)) return undefined;
  const problem = addressProblem(address, parts);
  if (problem !== undefined)
    return { label: problem, icon: 'error', alwaysShow: true, isDisabled: true };
  return { label: l10n.t('Use {0}', address), icon: 'arrow-right', alwaysShow: true, address };
}

/** Returns valid addresses that are not in use. Never rejects. */
async function newCandidates({
  ui,
  engines,
  machine,
}: EngineFormOptions): Promise<readonly EndpointCandidate[]> {
  // Engines may be added or removed in the meantime; the choices belong to these engines.
  const units = engines.all;
  const choices = await Promise.all(units.map((unit) => candidatesOf(unit, ui.settings, machine)));
  const others = await otherCandidates(units, choices, machine);
  return others.filter(({ endpoint }) => endpoint !== undefined);
}

function candidateItems(candidates: readonly EndpointCandidate[]): readonly CandidateItem[] {
  const group = (heading: string, ...kinds: readonly EndpointCandidate['found']['kind'][]) => {
    const ofKinds = candidates.filter(({ found }) => kinds.includes(found.kind));
    return withHeading(heading, ofKinds.map(candidateItem));
  };
  return [
    { label: l10n.t('Enter Address...'), icon: 'edit', alwaysShow: true },
    ...group(l10n.t('found on this machine'), 'usual', 'variable', 'setting'),
    ...group(l10n.t('Docker contexts'), 'context'),
    ...group(l10n.t('Podman connections'), 'podmanConnection'),
  ];
}

function candidateItem(candidate: EndpointCandidate): CandidateItem {
  const { name, endpoint } = candidate;
  return { label: name, description: endpoint?.url ?? '', icon: 'server', candidate };
}

type Encryption = 'plain' | 'folder' | 'unchecked';

const askEncryption: AskStep = async (draft, parts) => {
  const { ui, machine } = parts;
  const { name, host, certPath = '', skipTlsVerify = false } = draft.engine;
  const now: Encryption = certPath !== '' ? 'folder' : skipTlsVerify ? 'unchecked' : 'plain';
  for (;;) {
    const picked = await askChoice<Encryption>(
      ui,
      parts,
      l10n.t('Select how to encrypt the connection'),
      [
        {
          label: l10n.t('TLS with a certificate folder'),
          detail: 'ca.pem, cert.pem, key.pem',
          value: 'folder',
        },
        { label: l10n.t('TLS without certificate verification (insecure)'), value: 'unchecked' },
        { label: l10n.t('No TLS (unless set by Docker environment variables)'), value: 'plain' },
      ],
      (value) => value === now,
    );
    if (!picked) return undefined;
    if (picked.value === 'plain') return { ...draft, engine: { name, host } };
    if (picked.value === 'unchecked')
      return { ...draft, engine: { name, host, skipTlsVerify: true } };
    const [folder] = await ui.openDialog({
      title: l10n.t('Folder with ca.pem, cert.pem, and key.pem'),
      button: l10n.t('Use This Folder'),
      canSelect: 'folders',
      folder: certPath === '' ? homedir() : certPath,
    });
    if (!folder) continue;
    const engine = { name, host, certPath: folder.fsPath };
    const problem = await problemWith(engine, machine);
    if (problem === undefined) return { ...draft, engine };
    ui.warn(problem);
  }
};

async function problemWith(engine: NewEngine, machine: Machine): Promise<string | undefined> {
  try {
    await newEngineCandidate(engine, machine);
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return messageOf(error);
    throw error;
  }
}

const askAddress: AskStep = async (draft, parts) => {
  const { ui, title, hasNone } = parts;
  const host = await ui.input({
    title,
    canGoBack: !hasNone,
    prompt: hasNone
      ? l10n.t('No engine was found. Enter the address of a container engine')
      : l10n.t('Address of the container engine'),
    placeholder:
      'ssh://me@build.example.com, tcp://10.0.0.5:2376, unix:///run/user/1000/docker.sock',
    value: draft.engine.host,
    problem: (text) => addressProblem(text, parts),
  });
  if (host === undefined) return undefined;
  const isSame = host.trim() === draft.engine.host;
  return isSame ? draft : { isTyped: true, engine: { name: '', host: host.trim() } };
};

const askName: AskStep = async (draft, { ui, title, isNameUsed }) => {
  const { engine } = draft;
  const wished = engine.name === '' ? nameFor(engine.host) : engine.name;
  const name = await ui.input({
    title,
    canGoBack: true,
    prompt: l10n.t('Name of this engine in Gantry'),
    value: freeEngineName(wished, isNameUsed),
    problem: (text) => nameProblem(text, isNameUsed),
  });
  return name === undefined ? undefined : { ...draft, engine: { ...engine, name } };
};

/**
 * Validates the address while the user types. Whether a Docker context exists is checked at the connection
 * test.
 */
function addressProblem(text: string, { engines, isAdded }: EngineFormOptions): string | undefined {
  if (/^\s*context:\s*\S/.test(text)) return undefined;
  try {
    const { url } = parseEndpoint(text, 'setting');
    const same = engines.all.find(({ engine }) => engine.endpoint?.url === url);
    return isAdded && same ? l10n.t('Already added as {0}.', formatName(same.name)) : undefined;
  } catch (error) {
    return errorMessage(error);
  }
}

function isTcp(host: string): boolean {
  try {
    return parseEndpoint(host, 'setting').transport.kind === 'tcp';
  } catch {
    return false;
  }
}
