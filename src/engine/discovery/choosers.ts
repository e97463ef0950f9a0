/** Who chooses an engine, in the order in which they count, and what there was to see on the way. */

import type { Machine } from './endpoint.ts';
import { contextsFolder, listContexts } from './contexts.ts';
import { pinnedApiOf, type DockerConfig } from './dockerConfig.ts';
import { filesOf } from './files.ts';
import { variable } from './folders.ts';
import { parseHeaderList } from './headers.ts';
import { shownAddress } from './hosts.ts';
import type { Looked, LookResult } from './place.ts';
import { connectionFiles, listPodmanConnections } from './podman.ts';

/** Who chose, and what they said: an address or the name of a context. */
export interface Chooser {
  readonly by: 'gantry.host' | 'DOCKER_HOST' | 'DOCKER_CONTEXT' | 'config.json';
  readonly text: string;
}

/** The first who chose, if anybody did. */
export function chooserOf(
  hostSetting: string,
  machine: Machine,
  config: DockerConfig,
): Chooser | undefined {
  const voices: readonly [Chooser['by'], string | undefined][] = [
    ['gantry.host', hostSetting],
    ['DOCKER_HOST', variable(machine, 'DOCKER_HOST')],
    ['DOCKER_CONTEXT', variable(machine, 'DOCKER_CONTEXT')],
    ['config.json', config.currentContext],
  ];
  for (const [by, text = ''] of voices) {
    if (text.trim() !== '') return { by, text: text.trim() };
  }
  return undefined;
}

/** All that was looked at, in the order in which it counts. No password, no key and no header's value is in it. */
export async function trailOf(
  hostSetting: string,
  machine: Machine,
  config: DockerConfig,
  chooser: Chooser | undefined,
): Promise<readonly Looked[]> {
  const trail: readonly Omit<Looked, 'isDecisive'>[] = [
    lookedAtSetting(hostSetting),
    lookedAtVariable(machine, 'DOCKER_HOST', shownAddress),
    lookedAtVariable(machine, 'DOCKER_CONTEXT', asItIs),
    lookedAtVariable(machine, 'DOCKER_CONFIG', asItIs),
    ...(config.file === undefined ? [] : [lookedAtFile(config.file, config)]),
    ...(await lookedAtContexts(machine)),
    lookedAtVariable(machine, 'DOCKER_TLS_VERIFY', asItIs),
    lookedAtVariable(machine, 'DOCKER_TLS', asItIs),
    lookedAtVariable(machine, 'DOCKER_CERT_PATH', asItIs),
    lookedAtVersion(machine),
    lookedAtHeaders(machine),
    lookedAtVariable(machine, 'XDG_RUNTIME_DIR', asItIs),
    ...(await lookedAtConnections(machine)),
  ];
  const decisive = chooser?.by === 'config.json' ? config.file : chooser?.by;
  return trail.map((step) => ({ ...step, isDecisive: step.where === decisive }));
}

type Step = Omit<Looked, 'isDecisive'>;

function lookedAtSetting(text: string): Step {
  const step = { at: 'setting', where: 'gantry.host' } as const;
  if (text.trim() === '') return { ...step, result: 'notSet' };
  const value = text.trim().startsWith('context:') ? text.trim() : shownAddress(text);
  return { ...step, result: 'set', value: fit(value) };
}

function lookedAtVariable(
  machine: Machine,
  name: string,
  shown: (value: string) => string | undefined,
): Step {
  const value = machine.env[name] ?? '';
  const step = { at: 'variable', where: name } as const;
  if (value === '') return { ...step, result: 'notSet' };
  const text = shown(value);
  return { ...step, result: 'set', ...(text !== undefined && { value: fit(text) }) };
}

function lookedAtFile(file: string, { result, currentContext }: DockerConfig): Step {
  const value = currentContext === undefined ? {} : { value: fit(currentContext) };
  return { at: 'file', where: file, result, ...value };
}

async function lookedAtContexts(machine: Machine): Promise<readonly Step[]> {
  const folder = contextsFolder(machine);
  if (folder === undefined) return [];
  const isThere = (await filesOf(machine).kindOf(folder)) === 'folder';
  if (!isThere) return [{ at: 'folder', where: folder, result: 'absent' }];
  const count = (await listContexts(machine)).length;
  return [{ at: 'folder', where: folder, result: 'found', value: String(count) }];
}

async function lookedAtConnections(machine: Machine): Promise<readonly Step[]> {
  const files = connectionFiles(machine);
  const kinds = await Promise.all(files.map((file) => filesOf(machine).kindOf(file)));
  const count = (await listPodmanConnections(machine)).size;
  return files.map((where, index) =>
    kinds[index] === undefined
      ? { at: 'file', where, result: 'absent' }
      : { at: 'file', where, result: 'found', value: String(count) },
  );
}

function lookedAtVersion(machine: Machine): Step {
  const step = lookedAtVariable(machine, 'DOCKER_API_VERSION', asItIs);
  return judged(step, pinnedApiOf(machine) !== undefined);
}

function lookedAtHeaders(machine: Machine): Step {
  const name = 'DOCKER_CUSTOM_HEADERS';
  const step = lookedAtVariable(machine, name, () => undefined);
  return judged(step, parseHeaderList(variable(machine, name) ?? '') !== undefined);
}

/** What is set and makes no sense is passed over, which has to be told. */
function judged(step: Step, isGood: boolean): Step {
  const result: LookResult = step.result === 'set' && !isGood ? 'damaged' : step.result;
  return { ...step, result };
}

function asItIs(value: string): string {
  return value;
}

/** Nothing that moves a cursor. */
function fit(text: string): string {
  return text.replace(/\p{Cc}/gu, '�');
}
