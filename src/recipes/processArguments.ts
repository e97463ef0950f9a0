/** What a container's process is started with, as far as its image does not say the same. */

import type { CreateArguments } from '../engine/options/createSpec.ts';
import type { Healthcheck } from '../engine/options/healthcheck.ts';
import { formatDuration } from '../engine/options/quantities.ts';
import { asList, asNumber, asRecord, asText, asTextMap, asTexts } from '../engine/wire.ts';
import { withoutTrailing } from '../plainText.ts';

type Wire = Readonly<Record<string, unknown>>;
type Part = Partial<CreateArguments>;

/** Labels that say which tool made a container, and are true of that one alone. */
const TOOLS = /^(?:com\.docker\.compose\.|io\.podman\.compose\.|PODMAN_SYSTEMD_UNIT$)/;

/** What an engine itself puts into the environment where it says that it is the one. */
const ENGINE_ENV = /^(?:container=(?:podman|oci)|TERM=xterm|HOSTNAME=.*|HOME=.*)$/s;
const USUAL_PATH = 'PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Seconds; engines that say it of every container mean their default. */
const USUAL_GRACE = 10;

/** User, folder, terminal, input, and how it is stopped. */
export function processArguments(config: Wire, image: Wire): Part {
  const [user, folder] = [asText(config['User']), asText(config['WorkingDir'])];
  const signal = asText(config['StopSignal']);
  const grace = asNumber(config['StopTimeout']);
  const isUsual = grace === undefined || grace === USUAL_GRACE;
  return {
    ...(user !== '' && user !== asText(image['User']) && { user }),
    ...(folder !== '' &&
      folderOf(folder) !== folderOf(asText(image['WorkingDir'])) && {
        workingDir: folder,
      }),
    ...(config['Tty'] === true && { tty: true }),
    ...(config['OpenStdin'] === true && { openStdin: true }),
    ...(signal !== '' &&
      signalOf(signal) !== signalOf(asText(image['StopSignal'])) && { stopSignal: signal }),
    ...(!isUsual && { stopTimeout: grace }),
  };
}

/** Command and entrypoint. Setting the second drops the image's first, so then both are said. */
export function commandArguments(config: Wire, image: Wire): Part {
  const [cmd, ofImage] = [wordsOf(config['Cmd']), wordsOf(image['Cmd'])];
  const entrypoint = entrypointOf(config);
  const isSame = isEqual(entrypoint, entrypointOf(image));
  if (isSame && (isEqual(cmd, ofImage) || cmd.length > 0)) {
    return isEqual(cmd, ofImage) ? {} : { cmd };
  }
  return {
    entrypoint: entrypoint.length > 0 ? entrypoint : [''],
    ...(cmd.length > 0 && { cmd }),
  };
}

/** One that was taken away stands as no word, or as an empty one. */
function entrypointOf(config: Wire): readonly string[] {
  const words = wordsOf(config['Entrypoint']);
  return words.length === 1 && words[0] === '' ? [] : words;
}

function wordsOf(value: unknown): readonly string[] {
  return typeof value === 'string' ? [value] : asTexts(value);
}

/** Variables that were added, changed or taken away. */
export function environmentArguments(config: Wire, image: Wire): Part {
  const [own, ofImage] = [asTexts(config['Env']), asTexts(image['Env'])];
  const isFilledIn = own.some((entry) => /^container=(?:podman|oci)$/.test(entry));
  const inherited = new Set(ofImage);
  const env = own.filter((entry) => {
    if (!entry.includes('=') || inherited.has(entry)) return false;
    return !(isFilledIn && (ENGINE_ENV.test(entry) || entry === USUAL_PATH));
  });
  const names = new Set(own.filter((entry) => entry.includes('=')).map(nameOf));
  const bare = own.filter((entry) => !entry.includes('='));
  const unset = [...new Set([...bare, ...ofImage.map(nameOf)])].filter((name) => !names.has(name));
  return {
    ...(env.length > 0 && { env }),
    ...(unset.length > 0 && { unsetEnv: unset }),
  };
}

function nameOf(entry: string): string {
  return entry.split('=', 1)[0] ?? '';
}

/** Labels but for the image's own and those of tools. */
export function labelArguments(config: Wire, image: Wire): Part {
  const ofImage = asTextMap(image['Labels']);
  const labels = Object.entries(asTextMap(config['Labels'])).filter(
    ([name, value]) => ofImage[name] !== value && !TOOLS.test(name),
  );
  return labels.length > 0 ? { labels: Object.fromEntries(labels) } : {};
}

/** Where nothing is said, a process begins at the top. */
function folderOf(path: string): string {
  return withoutTrailing(path, '/') || '/';
}

/** The numbers engines write for names, the same on all machines for these. */
const SIGNALS: Readonly<Record<string, string>> = {
  '': 'TERM',
  '1': 'HUP',
  '2': 'INT',
  '3': 'QUIT',
  '9': 'KILL',
  '15': 'TERM',
};

function signalOf(signal: string): string {
  const name = signal.toUpperCase().replace(/^SIG/, '');
  return SIGNALS[name] ?? name;
}

/** What engines take where a check says nothing, in nanoseconds and times. */
const USUAL_CHECK: Readonly<Record<string, number>> = {
  Interval: 30e9,
  Timeout: 30e9,
  StartPeriod: 0,
  Retries: 3,
};

/** The check of its health; false where the image's is turned off. */
export function healthArguments(config: Wire, image: Wire): Part {
  const [own, ofImage] = [asRecord(config['Healthcheck']), asRecord(image['Healthcheck'])];
  const [test, inherited] = [testOf(own), testOf(ofImage)];
  if (test[0] === 'NONE') return inherited.length > 0 ? { healthcheck: false } : {};
  const times = Object.entries(USUAL_CHECK).filter(([name, usual]) => {
    const value = numberOf(own, name);
    return value > 0 && value !== (numberOf(ofImage, name) || usual);
  });
  const isOther = test.length > 0 && !isEqual(test, inherited);
  if (!isOther && times.length === 0) return {};
  const [kind, ...words] = test;
  const check = kind === 'CMD-SHELL' ? (words[0] ?? '') : words;
  const healthcheck: Healthcheck = {
    ...(isOther && { test: check }),
    ...Object.fromEntries(times.map(([name]) => fieldOf(name, numberOf(own, name)))),
  };
  return { healthcheck };
}

function testOf(check: Wire): readonly string[] {
  return asList(check['Test']).filter((one) => typeof one === 'string');
}

function numberOf(check: Wire, name: string): number {
  return asNumber(check[name]) ?? 0;
}

function fieldOf(name: string, value: number): readonly [string, string | number] {
  const field = `${name.charAt(0).toLowerCase()}${name.slice(1)}`;
  return [field, name === 'Retries' ? value : formatDuration(value)];
}

function isEqual(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && a.every((one, index) => one === b[index]);
}
