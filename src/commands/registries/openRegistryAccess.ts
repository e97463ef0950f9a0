import type { Machine } from '../../engine/http/endpoint.ts';
import { CredentialHelpers } from '../../registries/credentialHelpers.ts';
import { findCredentials } from '../../registries/findCredentials.ts';
import { SignIns, type SecretStore } from '../../registries/signIns.ts';
import type { Ui } from '../ui/ui.ts';
import type { Consent } from '../credentials/consent.ts';
import { RegistryAccess, type RegistryAccessDependencies } from '../credentials/registryAccess.ts';
import { SignInService } from '../credentials/signInService.ts';

/** Connects what finds credentials on this machine and what stores them. */
export function openRegistryAccess(
  ui: Ui,
  { secrets, machine, consent, log }: RegistryAccessOptions,
): RegistryAccess {
  const helpers = new CredentialHelpers(machine);
  const signIns = new SignIns(secrets);
  const signIn = signIns.find.bind(signIns);
  return new RegistryAccess(ui, {
    find: (ref, signal) => findCredentials(ref, { machine, helpers, signIn }, signal),
    signInService: new SignInService({ machine, signIns, helpers, consent }),
    consent,
    log,
  });
}

/** Where credentials are found and stored. */
export interface RegistryAccessOptions extends Pick<RegistryAccessDependencies, 'consent' | 'log'> {
  readonly secrets: SecretStore;
  readonly machine: Machine;
  readonly consent: Consent;
}
