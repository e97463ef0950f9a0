/** Finds what selects the engine, by precedence, and reports every source that was checked. */

import { formatAddress, type Machine } from '../http/endpoint.ts';
import type { EngineConfig } from './engineConfig.ts';
import { parseHeaderList, pinnedApiOf, type DockerConfig } from './dockerConfig.ts';
import { readVariable } from './folders.ts';
import type { DiscoveryStep } from './endpointCandidate.ts';

/** The source that selects the engine, and its value: an address or the name of a context. */
export interface ConfiguredEndpoint {
  readonly by: 'gantry.host' | 'DOCKER_HOST' | 'DOCKER_CONTEXT' | 'config.json';
  readonly text: string;
}

/** Returns the first source that has a value; undefined if none has one. */
export function findConfiguredEndpoint(
  hostSetting: string,
  { machine, docker }: EngineConfig,
): ConfiguredEndpoint | undefined {
  const voices: readonly [ConfiguredEndpoint['by'], string | undefined][] = [
    ['gantry.host', hostSetting],
    ['DOCKER_HOST', readVariable(machine, 'DOCKER_HOST')],
    ['DOCKER_CONTEXT', readVariable(machine, 'DOCKER_CONTEXT')],
    ['config.json', docker.currentContext],
  ];
  const [by, text = ''] = voices.find(([, value = '']) => value.trim() !== '') ?? [];
  return by && { by, text: text.trim() };
}

/** Returns all sources that were checked, by precedence. Contains no passwords, keys or header values. */
export async function discoverySteps(
  hostSetting: string,
  { machine, docker, ...config }: EngineConfig,
  chooser: ConfiguredEndpoint | undefined,
): Promise<readonly DiscoveryStep[]> {
  const [contexts, podman] = await Promise.all([config.contexts(), config.podman()]);
  const trail: readonly Step[] = [
    settingStep(hostSetting),
    variableStep(machine, 'DOCKER_HOST', formatAddress),
    variableStep(machine, 'DOCKER_CONTEXT'),
    variableStep(machine, 'DOCKER_CONFIG'),
    ...(docker.file === undefined ? [] : [fileStep(docker.file, docker)]),
    ...(contexts.folder === undefined
      ? []
      : [countStep('folder', contexts.folder, contexts.isThere, contexts.all.length)]),
    variableStep(machine, 'DOCKER_TLS_VERIFY'),
    variableStep(machine, 'DOCKER_TLS'),
    variableStep(machine, 'DOCKER_CERT_PATH'),
    judged(variableStep(machine, 'DOCKER_API_VERSION'), pinnedApiOf(machine) !== undefined),
    judged(
      variableStep(machine, HEADERS, () => undefined),
      parseHeaderList(readVariable(machine, HEADERS) ?? '') !== undefined,
    ),
    variableStep(machine, 'XDG_RUNTIME_DIR'),
    ...podman.files.map(({ path, isThere }) =>
      countStep('file', path, isThere, podman.byName.size),
    ),
  ];
  const decisive = chooser?.by === 'config.json' ? docker.file : chooser?.by;
  return trail.map((step) => ({ ...step, isDecisive: step.where === decisive }));
}

type Step = Omit<DiscoveryStep, 'isDecisive'>;

const HEADERS = 'DOCKER_CUSTOM_HEADERS';

function settingStep(text: string): Step {
  const step = { at: 'setting', where: 'gantry.host' } as const;
  if (text.trim() === '') return { ...step, result: 'notSet' };
  const value = text.trim().startsWith('context:') ? text.trim() : formatAddress(text);
  return { ...step, result: 'set', value: fit(value) };
}

function variableStep(
  machine: Machine,
  name: string,
  shown: (value: string) => string | undefined = (text) => text,
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

function countStep(at: Step['at'], where: string, isThere: boolean, count: number): Step {
  if (!isThere) return { at, where, result: 'absent' };
  return { at, where, result: 'found', value: String(count) };
}

/** Marks a value that is set but invalid as damaged: it is ignored, which the report must mention. */
function judged(step: Step, isValid: boolean): Step {
  return step.result === 'set' && !isValid ? { ...step, result: 'damaged' } : step;
}

/** Replaces control characters, which could move the cursor of a terminal. */
function fit(text: string): string {
  return text.replace(/\p{Cc}/gu, '�');
}
