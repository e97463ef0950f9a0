import { plainText } from '../../base/plainText.ts';
import { containerMounts, lastExit, readContainerDetails } from '../containers/containerDetails.ts';
import type { ContainerDetails } from '../containers/containerDetails.ts';
import { signalName } from '../containers/signalName.ts';
import { readRestart } from '../options/optionReaders.ts';
import { asLine, asMoment, asNumber, asRecord, asText, asTexts } from '../wire/wire.ts';
import type { ContainerFacts, MountFacts, VariableFacts } from './containerFacts.ts';
import { HiddenValues } from './hiddenValues.ts';
import { readConnections } from './readConnections.ts';
import { readDifferences } from './readDifferences.ts';
import { readLimits } from './readLimits.ts';
import { readPortFacts } from './readPortFacts.ts';
import { readProbes } from './readProbes.ts';

type Wire = Readonly<Record<string, unknown>>;

const MOST_VARIABLES = 1000;
const MOST_MOUNTS = 1000;
const LONGEST_PATH = 4096;

/**
 * Reads all that the details of a container show.
 *
 * @param raw the response of `GET /containers/{id}/json`.
 * @param image that of `GET /images/{id}/json`; undefined if the engine no longer has the image.
 */
export function readContainerFacts(raw: unknown, image: unknown): ReadContainer {
  const wire = asRecord(raw);
  const details = readContainerDetails(raw);
  const config = asRecord(wire['Config']);
  const host = asRecord(wire['HostConfig']);
  const hidden = new HiddenValues();
  const ofImage = image === undefined ? undefined : asRecord(image);
  const facts: ContainerFacts = {
    ...stateFacts(wire, details),
    ...pick(details, config, hidden),
    restartPolicy: asText(readRestart(host['RestartPolicy'], undefined, wire)),
    ...(ofImage && { differences: readDifferences(wire, ofImage, hidden) }),
    ports: readPortFacts(wire),
    mounts: mountsOf(details),
    networks: readConnections(asRecord(wire['NetworkSettings'])['Networks'], details),
    environment: variablesOf(config, ofImage, hidden),
    limits: readLimits(host),
    labels: hidden.labels(details.labels),
  };
  return { facts, hidden };
}

/** What is known of a container, and the values that are masked in it. */
export interface ReadContainer {
  readonly facts: ContainerFacts;
  readonly hidden: HiddenValues;
}

function stateFacts(wire: Wire, details: ContainerDetails) {
  const state = asRecord(wire['State']);
  const { finishedAt, isRunning } = details;
  const exit = lastExit(details);
  const signal = exit && signalName(exit.exitCode);
  const pid = asNumber(state['Pid']) ?? 0;
  const count = asNumber(wire['RestartCount']) ?? 0;
  return {
    state: details.state,
    ...readProbes(state),
    createdAt: asMoment(details.createdAt),
    startedAt: asMoment(details.startedAt),
    finishedAt: asMoment(finishedAt),
    ...(exit && exit.exitCode >= 0 && { exitCode: exit.exitCode }),
    ...(signal !== undefined && { signal }),
    oomKilled: exit ? exit.oomKilled : details.wasOutOfMemory,
    error: details.error,
    restartCount: Number.isSafeInteger(count) && count > 0 ? count : 0,
    ...(isRunning && Number.isSafeInteger(pid) && pid > 0 && { hostPid: pid }),
  };
}

function pick({ id, name, image, imageId }: ContainerDetails, config: Wire, hidden: HiddenValues) {
  const words = [config['Entrypoint'], config['Cmd']].flatMap(wordsIn);
  const [kind = '', ...test] = asTexts(asRecord(config['Healthcheck'])['Test']);
  return {
    id,
    name,
    image,
    imageId,
    command: hidden.command('command', words),
    healthcheck: kind === 'NONE' ? '' : hidden.command('healthcheck', test),
    workingDir: plainText(asText(config['WorkingDir']), LONGEST_PATH),
    user: asLine(config['User']),
    hostname: asLine(config['Hostname']),
  };
}

function wordsIn(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : asTexts(value);
}

function mountsOf(details: ContainerDetails): readonly MountFacts[] {
  return containerMounts(details)
    .slice(0, MOST_MOUNTS)
    .map(({ type, target, source, isReadOnly }) => ({
      type: asLine(type),
      target: plainText(target, LONGEST_PATH),
      source: plainText(source, LONGEST_PATH),
      isReadOnly,
    }));
}

function variablesOf(
  config: Wire,
  image: Wire | undefined,
  hidden: HiddenValues,
): readonly VariableFacts[] {
  const inherited = image && new Set(asTexts(asRecord(image['Config'])['Env']));
  return asTexts(config['Env'])
    .slice(0, MOST_VARIABLES)
    .map((entry) => {
      const equals = entry.indexOf('=');
      const name = equals < 0 ? entry : entry.slice(0, equals);
      const value = equals < 0 ? '' : entry.slice(equals + 1);
      return {
        ...hidden.named('variable', name, value),
        ...(inherited && { isOfImage: inherited.has(entry) }),
      };
    });
}
