import { homedir } from 'node:os';
import * as vscode from 'vscode';
import { parseEndpoint, type Machine } from '../../engine/discovery/endpoint.ts';
import { InputError } from '../../engine/errors.ts';
import { candidateKey, listCandidates } from '../../engine/discovery/listCandidates.ts';
import type { EndpointCandidate } from '../../engine/discovery/endpointCandidate.ts';
import type { Engines } from '../../engines/engines.ts';
import { candidatesOf } from '../../engines/engineSpecs.ts';
import {
  freeEngineName,
  hostOf,
  nameFor,
  nameProblem,
  newEngineCandidate,
  type NewEngine,
} from '../../engines/newEngine.ts';
import { settings } from '../../settings.ts';
import { showAndWait, askChoice, askText, applyStepTitle, onPick } from '../forms/form.ts';
import { showWarning } from '../notifications.ts';
import { errorMessage } from '../errorMessages.ts';
import { formatItem } from '../displayText.ts';

const { l10n } = vscode;

/** Asks step by step; Escape goes a step back, and leaves the first. Undefined where the person leaves. */
export async function showEngineForm(parts: EngineFormOptions): Promise<EngineDraft | undefined> {
  let draft = parts.before ?? NOTHING;
  // What was wrong is most likely the address; of a place that was found only the name can be changed.
  let at = parts.before && (parts.before.isTyped || parts.isAdded) ? 1 : 0;
  for (;;) {
    const step = stepsOf(draft, parts)[at];
    if (step === undefined) return draft;
    const next = await STEPS[step](draft, parts);
    if (next) [draft, at] = [next, at + 1];
    else if (at === 0) return undefined;
    else at -= 1;
  }
}

/** What the person has said so far. */
export interface EngineDraft {
  /** Whether the address was typed, and not picked. */
  readonly isTyped: boolean;
  readonly engine: NewEngine;
}

/** What the form stands on. */
export interface EngineFormOptions {
  readonly title: string;
  /** Whether the engine gets a name and an encryption of its own: an address alone has neither. */
  readonly isAdded: boolean;
  readonly engines: Engines;
  readonly machine: Machine;
  readonly isTaken: (name: string) => boolean;
  /** What was said before, to be put right. */
  readonly before: EngineDraft | undefined;
}

type StepName = 'place' | 'address' | 'encryption' | 'name';

const NOTHING: EngineDraft = { isTyped: false, engine: { name: '', host: '' } };

function stepsOf(
  { isTyped, engine }: EngineDraft,
  { isAdded }: EngineFormOptions,
): readonly StepName[] {
  if (!isAdded) return isTyped ? ['place', 'address'] : ['place'];
  if (!isTyped) return ['place', 'name'];
  return isTcp(engine.host)
    ? ['place', 'address', 'encryption', 'name']
    : ['place', 'address', 'name'];
}

type AskStep = (draft: EngineDraft, parts: EngineFormOptions) => Promise<EngineDraft | undefined>;

const STEPS: Readonly<Record<StepName, AskStep>> = {
  place: askCandidate,
  address: async (draft, { title }) => {
    const host = await askText(
      { title },
      {
        prompt: l10n.t('Where does the engine listen?'),
        placeholder:
          'ssh://me@build.example.com, tcp://10.0.0.5:2376, unix:///run/user/1000/docker.sock',
        value: draft.engine.host,
        problem: addressProblem,
      },
    );
    if (host === undefined) return undefined;
    const isSame = host.trim() === draft.engine.host;
    return isSame ? draft : { isTyped: true, engine: { name: '', host: host.trim() } };
  },
  encryption: askEncryption,
  name: async (draft, { title, isTaken }) => {
    const { engine } = draft;
    const wished = engine.name === '' ? nameFor(engine.host) : engine.name;
    const name = await askText(
      { title },
      {
        prompt: l10n.t('What is it to be called here?'),
        value: freeEngineName(wished, isTaken),
        problem: (text) => nameProblem(text, isTaken, l10n),
      },
    );
    return name === undefined ? undefined : { ...draft, engine: { ...engine, name } };
  },
};

interface CandidateItem extends vscode.QuickPickItem {
  /** None is "enter an address". */
  readonly candidate?: EndpointCandidate;
}

async function askCandidate(
  draft: EngineDraft,
  parts: EngineFormOptions,
): Promise<EngineDraft | undefined> {
  const pick = vscode.window.createQuickPick<CandidateItem>();
  applyStepTitle(pick, parts);
  pick.placeholder = l10n.t('Choose an engine that was found, or enter an address');
  pick.matchOnDescription = true;
  pick.busy = true;
  pick.items = candidateItems([]);
  let isOpen = true;
  void newCandidates(parts).then((places) => {
    if (!isOpen) return;
    pick.items = candidateItems(places);
    pick.busy = false;
  });
  const picked = await showAndWait<CandidateItem>(pick, (done) => onPick(pick, done));
  isOpen = false;
  if (!picked) return undefined;
  const { candidate } = picked;
  if (!candidate) return draft.isTyped ? draft : { ...NOTHING, isTyped: true };
  return { isTyped: false, engine: { name: candidate.name, host: hostOf(candidate) } };
}

/** Places that can be used and are not in use. Never rejects. */
async function newCandidates({
  engines,
  machine,
}: EngineFormOptions): Promise<readonly EndpointCandidate[]> {
  const used = await Promise.all(
    engines.all.map(async (unit) => {
      const { candidates, isChosen } = await candidatesOf(unit, settings, machine);
      const { endpoint } = unit.engine;
      return isChosen
        ? candidates
        : candidates.filter((place) => place.endpoint?.url === endpoint?.url);
    }),
  );
  const known = new Set(
    await Promise.all(used.flat().map((place) => candidateKey(place, machine))),
  );
  const offered = (await listCandidates(machine)).filter(({ endpoint }) => endpoint !== undefined);
  const keys = await Promise.all(offered.map((place) => candidateKey(place, machine)));
  return offered.filter((_, index) => !known.has(keys[index] ?? ''));
}

function candidateItems(places: readonly EndpointCandidate[]): readonly CandidateItem[] {
  const groups: readonly (readonly [
    heading: string,
    kinds: readonly EndpointCandidate['found']['kind'][],
  ])[] = [
    [l10n.t('Found on this machine'), ['usual', 'variable', 'setting']],
    [l10n.t('Docker contexts'), ['context']],
    [l10n.t('Podman connections'), ['podmanConnection']],
  ];
  return [
    {
      label: l10n.t('Enter an address…'),
      iconPath: new vscode.ThemeIcon('edit'),
      alwaysShow: true,
    },
    ...groups.flatMap(([heading, kinds]) => {
      const members = places.filter(({ found }) => kinds.includes(found.kind));
      if (members.length === 0) return [];
      return [separator(heading), ...members.map(candidateItem)];
    }),
  ];
}

function separator(label: string): CandidateItem {
  return { label, kind: vscode.QuickPickItemKind.Separator };
}

/** Names of contexts come from files that anybody may have written. */
function candidateItem(place: EndpointCandidate): CandidateItem {
  return {
    ...formatItem({ label: place.name, description: place.endpoint?.url ?? '' }),
    iconPath: new vscode.ThemeIcon('server'),
    candidate: place,
  };
}

type Encryption = 'plain' | 'folder' | 'unchecked';

async function askEncryption(
  draft: EngineDraft,
  parts: EngineFormOptions,
): Promise<EngineDraft | undefined> {
  const { name, host, certPath = '', skipTlsVerify = false } = draft.engine;
  const now: Encryption = certPath !== '' ? 'folder' : skipTlsVerify ? 'unchecked' : 'plain';
  for (;;) {
    const picked = await askChoice<Encryption>(
      parts,
      l10n.t('How is the connection encrypted?'),
      [
        {
          label: l10n.t('TLS with a folder of certificates'),
          detail: 'ca.pem, cert.pem, key.pem',
          value: 'folder',
        },
        { label: l10n.t('TLS without a look at the certificate'), value: 'unchecked' },
        { label: l10n.t('Not at all, or as the variables of Docker say'), value: 'plain' },
      ],
      (value) => value === now,
    );
    if (!picked) return undefined;
    if (picked.value === 'plain') return { ...draft, engine: { name, host } };
    if (picked.value === 'unchecked') {
      return { ...draft, engine: { name, host, skipTlsVerify: true } };
    }
    const folder = await askFolder(certPath);
    if (folder === undefined) continue;
    const engine = { name, host, certPath: folder };
    const problem = await problemWith(engine, parts.machine);
    if (problem === undefined) return { ...draft, engine };
    showWarning(problem);
  }
}

async function askFolder(before: string): Promise<string | undefined> {
  const chosen = await vscode.window.showOpenDialog({
    title: l10n.t('Folder with ca.pem, cert.pem and key.pem'),
    openLabel: l10n.t('Use This Folder'),
    canSelectFiles: false,
    canSelectFolders: true,
    canSelectMany: false,
    defaultUri: vscode.Uri.file(before === '' ? homedir() : before),
  });
  return chosen?.[0]?.fsPath;
}

async function problemWith(engine: NewEngine, machine: Machine): Promise<string | undefined> {
  try {
    await newEngineCandidate(engine, machine, l10n);
    return undefined;
  } catch (error) {
    if (error instanceof InputError) return error.message;
    throw error;
  }
}

/** While it is typed; whether a context is there is seen when it is tried. */
function addressProblem(text: string): string | undefined {
  if (/^\s*context:\s*\S/.test(text)) return undefined;
  try {
    parseEndpoint(text, 'setting');
    return undefined;
  } catch (error) {
    return errorMessage(error, l10n);
  }
}

function isTcp(host: string): boolean {
  try {
    return parseEndpoint(host, 'setting').transport.kind === 'tcp';
  } catch {
    return false;
  }
}
