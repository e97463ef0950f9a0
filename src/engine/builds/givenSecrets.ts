import { openUrlAtEnd, withoutUrlPasswords } from '../../base/plainText.ts';
import { HIDDEN, secretForms } from '../wire/hideSecrets.ts';
import type { RegistryAuth } from '../wire/registryAuth.ts';
import { FormIndex } from './dockerfile/formIndex.ts';
import type { BuildEvent, BuildProviders, BuildRequest, BuildStepOutput } from './model.ts';

/** The lines of a secret, such as a key, are hidden one by one if they are at least this long. */
const SHORTEST_LINE = 8;
const MOST_LINES = 1000;
/** Maximum length of an output that waits for its next piece, in bytes. */
const LONGEST_REST = 8192;

/**
 * Remembers what an engine was given during a build, to hide it where the engine or a step repeats it. The passwords of
 * URLs are hidden always: another client may have given them.
 */
export class GivenSecrets {
  /** The same providers, whose answers are remembered. */
  readonly providers: BuildProviders;
  /** In every form in which they may be repeated, by what they are for. */
  readonly #given = new Map<string, readonly string[]>();
  /** All of them, and the same as bytes. */
  #forms = new FormIndex([]);
  #bytes = new FormIndex([]);
  /** Ends of outputs that may be the beginning of a secret, by step and stream. */
  readonly #rests = new Map<string, BuildStepOutput>();
  /** The steps that have ended, whose output does not wait. */
  readonly #ended = new Set<string>();

  /** @param args of the build: passwords of proxies are hidden from the beginning. */
  constructor(
    { credentials, secret, sshAgent }: BuildProviders = NOTHING,
    args: BuildRequest['args'] = {},
  ) {
    const proxies = Object.entries(args).filter(([name]) => /^[a-z]+_proxy$/i.test(name));
    for (const [name, value] of proxies) this.#remember(`proxy ${name}`, proxyForms(value));
    this.providers = {
      credentials: async (registry, signal, repository) => {
        const auth = await credentials(registry, signal, repository);
        if (auth) this.#remember(`registry ${registry}`, secretForms(auth));
        return auth;
      },
      secret: async (id, signal) => {
        const value = await secret(id, signal);
        this.#remember(`secret ${id}`, formsOf(Buffer.from(value).toString().trim()));
        return value;
      },
      ...(sshAgent !== undefined && { sshAgent }),
    };
  }

  /** Replaces in a text what was given. */
  hide(text: string): string {
    return withoutUrlPasswords(this.#forms.replaced(text, HIDDEN));
  }

  /**
   * Hides it in the output of a step, in its name, and in its error. Returns what to report instead: an end of an
   * output that may be the beginning of a secret comes with the next piece, or before the end of the step.
   */
  hideIn(event: BuildEvent): readonly BuildEvent[] {
    if (event.kind === 'output') return this.#hideInOutput(event.output);
    if (event.kind === 'warning') return [this.#hideInWarning(event)];
    if (event.kind === 'transfer') {
      const { kind, transfer } = event;
      return [{ kind, transfer: { ...transfer, name: this.hide(transfer.name) } }];
    }
    if (event.kind !== 'step') return [event];
    const { step } = event;
    const isRunning = step.state === 'running';
    if (isRunning) this.#ended.delete(step.id);
    else this.#ended.add(step.id);
    const rests = isRunning ? [] : this.#drainRests(step.id);
    const error = step.error === undefined ? {} : { error: this.hide(step.error) };
    const name = this.hide(step.name);
    return [...rests, { kind: 'step', step: { ...step, name, ...error } }];
  }

  #hideInWarning({ kind, warning }: Extract<BuildEvent, { kind: 'warning' }>): BuildEvent {
    const { message, detail } = warning;
    const more = detail === undefined ? {} : { detail: this.hide(detail) };
    return { kind, warning: { ...warning, message: this.hide(message), ...more } };
  }

  #hideInOutput(output: BuildStepOutput): readonly BuildEvent[] {
    const key = `${output.stream} ${output.step}`;
    const before = this.#rests.get(key)?.data ?? Buffer.alloc(0);
    const text = Buffer.concat([before, output.data]).toString('latin1');
    const hidden = withoutUrlPasswords(this.#bytes.replaced(text, HIDDEN_BYTES), HIDDEN_BYTES);
    const start = Math.max(this.#bytes.startAtEnd(hidden, LONGEST_REST), openUrlAtEnd(hidden));
    const length = this.#ended.has(output.step) ? 0 : start;
    const end = hidden.length - length;
    const data = Buffer.from(hidden, 'latin1');
    this.#rests.delete(key);
    if (length > 0) this.#rests.set(key, { ...output, data: data.subarray(end) });
    return end === 0
      ? []
      : [{ kind: 'output', output: { ...output, data: data.subarray(0, end) } }];
  }

  #drainRests(step: string): readonly BuildEvent[] {
    const ofStep = [...this.#rests].filter(([, rest]) => rest.step === step);
    for (const [key] of ofStep) this.#rests.delete(key);
    return ofStep.map(([, output]) => ({ kind: 'output', output }));
  }

  #remember(key: string, forms: readonly string[]): void {
    const known = this.#given.get(key) ?? [];
    // An engine may ask as often as it wants.
    if (known.length === forms.length && known.every((form, at) => form === forms[at])) return;
    this.#given.set(key, forms);
    const all = [...this.#given.values()].flat();
    this.#forms = new FormIndex(all);
    this.#bytes = new FormIndex(all.map(asBytes));
  }
}

/** Returns a secret in every form in which a step may print it: whole, encoded, and line by line. */
function formsOf(value: string): readonly string[] {
  const auth: RegistryAuth = { password: value };
  const lines = value.split(/\r?\n/, MOST_LINES).filter((line) => line.length >= SHORTEST_LINE);
  return [...secretForms(auth), ...lines];
}

/** Returns the password of a proxy in every form in which a step may print it; none if it has none. */
function proxyForms(url: string): readonly string[] {
  const [, username = '', password] = /^(?:[^/]*\/\/)?([^:@/]*):([^]*)@[^@]*$/.exec(url) ?? [];
  if (password === undefined) return [];
  const plain = decoded(password);
  const asWritten = secretForms({ username, password });
  return [...asWritten, ...(plain === password ? [] : secretForms({ username, password: plain }))];
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Returns the text with one character for each byte, so that no character is cut at the end of a piece. */
function asBytes(text: string): string {
  return Buffer.from(text).toString('latin1');
}

/** For a build that another client started. */
const NOTHING: BuildProviders = {
  credentials: () => Promise.resolve(undefined),
  secret: () => Promise.resolve(new Uint8Array()),
};

const HIDDEN_BYTES = asBytes(HIDDEN);
