/** Who chooses an engine, in the order in which they count, and what there was to see on the way. */

import type { Machine } from './endpoint.ts';
import { contextsFolder, listContexts } from './dockerContext.ts';
import { pinnedApiOf, type DockerConfig } from './dockerConfig.ts';
import { filesOf } from './nodeFiles.ts';
import { readVariable } from './folders.ts';
import { parseHeaderList } from './readCustomHeaders.ts';
import { formatAddress } from './hostEndpoint.ts';
import type { DiscoveryStep, DiscoveryStepResult } from './endpointCandidate.ts';
import { connectionFiles, listPodmanConnections } from './listPodmanConnections.ts';

/** Who chose, and what they said: an address or the name of a context. */
export interface ConfiguredEndpoint {
  readonly by: 'gantry.host' | 'DOCKER_HOST' | 'DOCKER_CONTEXT' | 'config.json';
  readonly text: string;
}

/** The first who chose, if anybody did. */
export function findConfiguredEndpoint(
  hostSetting: string,
  machine: Machine,
  config: DockerConfig,
): ConfiguredEndpoint | undefined {
  const voices: readonly [ConfiguredEndpoint['by'], string | undefined][] = [
    ['gantry.host', hostSetting],
    ['DOCKER_HOST', readVariable(machine, 'DOCKER_HOST')],
    ['DOCKER_CONTEXT', readVariable(machine, 'DOCKER_CONTEXT')],
    ['config.json', config.currentContext],
  ];
  for (const [by, text = ''] of voices) {
    if (text.trim() !== '') return { by, text: text.trim() };
  }
  return undefined;
}

/** All that was looked at, in the order in which it counts. No password, no key and no header's value is in it. */
export async function discoverySteps(
  hostSetting: string,
  machine: Machine,
  config: DockerConfig,
  chooser: ConfiguredEndpoint | undefined,
): Promise<readonly DiscoveryStep[]> {
  const trail: readonly Omit<DiscoveryStep, 'isDecisive'>[] = [
    settingStep(hostSetting),
    variableStep(machine, 'DOCKER_HOST', formatAddress),
    variableStep(machine, 'DOCKER_CONTEXT', asItIs),
    variableStep(machine, 'DOCKER_CONFIG', asItIs),
    ...(config.file === undefined ? [] : [fileStep(config.file, config)]),
    ...(await contextsStep(machine)),
    variableStep(machine, 'DOCKER_TLS_VERIFY', asItIs),
    variableStep(machine, 'DOCKER_TLS', asItIs),
    variableStep(machine, 'DOCKER_CERT_PATH', asItIs),
    versionStep(machine),
    headersStep(machine),
    variableStep(machine, 'XDG_RUNTIME_DIR', asItIs),
    ...(await connectionsStep(machine)),
  ];
  const decisive = chooser?.by === 'config.json' ? config.file : chooser?.by;
  return trail.map((step) => ({ ...step, isDecisive: step.where === decisive }));
}

type Step = Omit<DiscoveryStep, 'isDecisive'>;

function settingStep(text: string): Step {
  const step = { at: 'setting', where: 'gantry.host' } as const;
  if (text.trim() === '') return { ...step, result: 'notSet' };
  const value = text.trim().startsWith('context:') ? text.trim() : formatAddress(text);
  return { ...step, result: 'set', value: fit(value) };
}

function variableStep(
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

function fileStep(file: string, { result, currentContext }: DockerConfig): Step {
  const value = currentContext === undefined ? {} : { value: fit(currentContext) };
  return { at: 'file', where: file, result, ...value };
}

async function contextsStep(machine: Machine): Promise<readonly Step[]> {
  const folder = contextsFolder(machine);
  if (folder === undefined) return [];
  const isThere = (await filesOf(machine).kindOf(folder)) === 'folder';
  if (!isThere) return [{ at: 'folder', where: folder, result: 'absent' }];
  const count = (await listContexts(machine)).length;
  return [{ at: 'folder', where: folder, result: 'found', value: String(count) }];
}

async function connectionsStep(machine: Machine): Promise<readonly Step[]> {
  const files = connectionFiles(machine);
  const kinds = await Promise.all(files.map((file) => filesOf(machine).kindOf(file)));
  const count = (await listPodmanConnections(machine)).size;
  return files.map((where, index) =>
    kinds[index] === undefined
      ? { at: 'file', where, result: 'absent' }
      : { at: 'file', where, result: 'found', value: String(count) },
  );
}

function versionStep(machine: Machine): Step {
  const step = variableStep(machine, 'DOCKER_API_VERSION', asItIs);
  return judged(step, pinnedApiOf(machine) !== undefined);
}

function headersStep(machine: Machine): Step {
  const name = 'DOCKER_CUSTOM_HEADERS';
  const step = variableStep(machine, name, () => undefined);
  return judged(step, parseHeaderList(readVariable(machine, name) ?? '') !== undefined);
}

/** What is set and makes no sense is passed over, which has to be told. */
function judged(step: Step, isGood: boolean): Step {
  const result: DiscoveryStepResult = step.result === 'set' && !isGood ? 'damaged' : step.result;
  return { ...step, result };
}

function asItIs(value: string): string {
  return value;
}

/** Nothing that moves a cursor. */
function fit(text: string): string {
  return text.replace(/\p{Cc}/gu, '�');
}
