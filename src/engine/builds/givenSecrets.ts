import { hideSecrets } from '../http/hideSecrets.ts';
import type { RegistryAuth } from '../registries/registryAuth.ts';
import type { BuildEvent, BuildProviders } from './model.ts';

/** Remembers what an engine was given during a build, to hide it where the engine or a registry repeats it. */
export class GivenSecrets {
  /** The same providers, whose answers are remembered. */
  readonly providers: BuildProviders;
  readonly #hides = new Map<string, (text: string) => string>();

  constructor({ credentials, secret, sshAgent }: BuildProviders) {
    this.providers = {
      credentials: async (registry, signal) => {
        const auth = await credentials(registry, signal);
        if (auth) this.#remember(`registry ${registry}`, auth);
        return auth;
      },
      secret: async (id, signal) => {
        const value = await secret(id, signal);
        this.#remember(`secret ${id}`, { password: Buffer.from(value).toString().trim() });
        return value;
      },
      ...(sshAgent !== undefined && { sshAgent }),
    };
  }

  /** Replaces in a text what was given. */
  hide(text: string): string {
    return [...this.#hides.values()].reduce((left, hide) => hide(left), text);
  }

  /** Hides it in the error of a step. The output of a step is the user's own. */
  hideIn(event: BuildEvent): BuildEvent {
    if (event.kind !== 'step' || event.step.error === undefined) return event;
    return { kind: 'step', step: { ...event.step, error: this.hide(event.step.error) } };
  }

  #remember(key: string, auth: RegistryAuth): void {
    this.#hides.set(key, hideSecrets(auth));
  }
}
