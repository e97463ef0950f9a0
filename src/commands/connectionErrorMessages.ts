import type { EngineError, FailureReason } from '../engine/errors.ts';
import { certificateProblem, type CertificateProblem } from '../engine/http/tlsFailureReason.ts';
import { TlsMaterialError, type TlsMaterialProblem } from '../engine/http/secureContextOf.ts';
import type { L10n } from '../l10n.ts';

/** What is said of a failure. */
export type ErrorFormatter = (error: EngineError, l10n: L10n) => string;

const at = (error: EngineError): string => error.endpoint ?? '';

/** A sentence, and the words of the program that failed where it had any. */
function withEngineMessage(
  sentence: string,
  { engineMessage = '' }: EngineError,
  l10n: L10n,
): string {
  return engineMessage === '' ? sentence : l10n.t('{0} ({1})', sentence, engineMessage);
}

const permissionDenied: ErrorFormatter = (error, l10n) => {
  const place = at(error);
  if (/^unix:\/\/(?:\/var)?\/run\/docker\.sock$/.test(place)) {
    return l10n.t(
      'You may not use the container engine at {0}: join the group "docker", then log in anew.',
      place,
    );
  }
  if (/^unix:\/\/(?:\/var)?\/run\/podman\//.test(place)) {
    return l10n.t(
      'You may not use the container engine at {0}, for it is root’s: start one of your own with "systemctl --user enable --now podman.socket".',
      place,
    );
  }
  return place.startsWith('unix:')
    ? l10n.t(
        'You may not use the container engine at {0}, for its socket is somebody else’s: ask to be let in, or start one of your own.',
        place,
      )
    : l10n.t(
        'You may not use the container engine at {0}: permission denied. Ask to be let in there.',
        place,
      );
};

const UNTRUSTED: Readonly<Record<CertificateProblem, ErrorFormatter>> = {
  unknownIssuer: (error, l10n) =>
    l10n.t(
      'The certificate of {0} comes from nobody this machine trusts: set the authority (CA) that it comes from.',
      at(error),
    ),
  expired: (error, l10n) =>
    l10n.t('The certificate of {0} has expired: it has to be renewed there.', at(error)),
  notYetValid: (error, l10n) =>
    l10n.t(
      'The certificate of {0} is not valid yet: compare the clocks of both machines.',
      at(error),
    ),
  otherName: (error, l10n) =>
    l10n.t(
      'The certificate of {0} is for another machine: use the name that it was made for.',
      at(error),
    ),
  revoked: (error, l10n) =>
    l10n.t('The certificate of {0} was withdrawn: it has to be renewed there.', at(error)),
  unfit: (error, l10n) =>
    l10n.t(
      'The certificate of {0} is too weak or broken: it has to be made anew there.',
      at(error),
    ),
};

const certificateUntrusted: ErrorFormatter = (error, l10n) =>
  UNTRUSTED[certificateProblem(error.cause) ?? 'unknownIssuer'](error, l10n);

const UNUSABLE: Readonly<Record<TlsMaterialProblem, ErrorFormatter>> = {
  caUnreadable: (error, l10n) =>
    l10n.t('The authority (CA) that is set for {0} is no certificate in PEM form.', at(error)),
  certificateMissing: (error, l10n) =>
    l10n.t('There is a private key for {0}, but no certificate: set both.', at(error)),
  certificateUnreadable: (error, l10n) =>
    l10n.t('What is set as your certificate for {0} is none in PEM form.', at(error)),
  keyMissing: (error, l10n) =>
    l10n.t('There is a certificate for {0}, but no private key: set both.', at(error)),
  keyEncrypted: (error, l10n) =>
    l10n.t(
      'The private key for {0} is locked with a passphrase: set one without ("openssl pkey" takes it off).',
      at(error),
    ),
  keyUnreadable: (error, l10n) =>
    l10n.t('What is set as your private key for {0} is none in PEM form.', at(error)),
  keyOfAnother: (error, l10n) =>
    l10n.t('Your certificate and private key for {0} do not belong together.', at(error)),
};

const certificateUnusable: ErrorFormatter = (error, l10n) =>
  error.cause instanceof TlsMaterialError
    ? UNUSABLE[error.cause.problem](error, l10n)
    : l10n.t(
        'The certificates set for {0} cannot be read.',
        error.endpoint ?? error.engineMessage ?? '',
      );

/** Why there is no way to an engine, and what helps. */
export const connectionErrorMessages = {
  socketAbsent: (error, l10n) =>
    l10n.t('No container engine is running: there is no socket at {0}.', at(error)),
  permissionDenied,
  refused: (error, l10n) =>
    l10n.t('The container engine at {0} is not running: connection refused. Start it.', at(error)),
  notASocket: (error, l10n) =>
    l10n.t('{0} is no socket, so no container engine listens there.', at(error)),
  unreachable: (error, l10n) =>
    withEngineMessage(
      l10n.t('The container engine at {0} cannot be reached from this machine.', at(error)),
      error,
      l10n,
    ),
  badEndpoint: (error, l10n) =>
    l10n.t(
      '"{0}" is no address of an engine. Write a socket path, unix://, npipe://, tcp://host:port or ssh://user@host.',
      at(error),
    ),
  hostUnknown: (error, l10n) =>
    l10n.t(
      'No machine with the name in {0} is known: check the name, and whether you are online.',
      at(error),
    ),
  connectTimeout: (error, l10n) =>
    l10n.t(
      'The machine of {0} does not answer: check that it runs and that no firewall is in the way.',
      at(error),
    ),
  contextMissing: (error, l10n) =>
    l10n.t('There is no context named "{0}": choose another one.', error.engineMessage ?? ''),
  contextBroken: (error, l10n) =>
    l10n.t(
      'The context "{0}" says nothing of an engine that can be used: choose another one, or mend it.',
      error.engineMessage ?? '',
    ),
  certificateUntrusted,
  clientCertificateNeeded: (error, l10n) =>
    l10n.t(
      '{0} lets in only who has a certificate that it knows: set yours and its private key.',
      at(error),
    ),
  certificateUnusable,
  tlsNeeded: (error, l10n) =>
    l10n.t('{0} speaks only encrypted (TLS): switch that on, or set its certificates.', at(error)),
  tlsNotSpoken: (error, l10n) =>
    l10n.t('{0} does not speak encrypted (TLS): switch that off, or check the port.', at(error)),
  sshMissing: (error, l10n) =>
    l10n.t('{0} is reached with the program ssh, which was not found: install OpenSSH.', at(error)),
  sshHostKey: (error, l10n) =>
    withEngineMessage(
      l10n.t(
        '{0} did not prove to be the machine you know: check its host key with ssh in a terminal.',
        at(error),
      ),
      error,
      l10n,
    ),
  sshRefused: (error, l10n) =>
    withEngineMessage(
      l10n.t('{0} did not let you in: check the user, and the key or password.', at(error)),
      error,
      l10n,
    ),
  sshNoForwarding: (error, l10n) =>
    withEngineMessage(
      l10n.t(
        '{0} lets you in, but neither forwards a socket nor has a Docker command line.',
        at(error),
      ),
      error,
      l10n,
    ),
  sshSocketMissing: (error, l10n) =>
    l10n.t(
      '{0} lets you in, but no container engine was found: start it, or add its socket’s path to the address.',
      at(error),
    ),
  sshFailed: (error, l10n) =>
    withEngineMessage(l10n.t('{0} could not be reached by ssh.', at(error)), error, l10n),
  sshFull: (error, l10n) =>
    l10n.t(
      'Too many logs and terminals are open over the SSH connection to {0}. Close one, then try again.',
      at(error),
    ),
  disconnected: (_error, l10n) =>
    l10n.t('The container engine is disconnected. Connect it, then try again.'),
  engineRemoved: (_error, l10n) =>
    l10n.t('The container engine was changed or removed in the settings.'),
  engineReplaced: (error, l10n) =>
    l10n.t(
      'The container engine at {0} is no longer in use. Switch back, then try again.',
      at(error),
    ),
  proxyPage: (error, l10n) =>
    l10n.t(
      'What answers at {0} is a web page, not a container engine: check the address, or the proxy in between.',
      at(error),
    ),
  notAnEngine: (error, l10n) =>
    l10n.t('What answers at {0} is not a container engine: check the address.', at(error)),
  tooOld: (error, l10n) =>
    withEngineMessage(
      l10n.t(
        'The container engine at {0} is too old: Docker 20.10 or Podman 4 is needed.',
        at(error),
      ),
      error,
      l10n,
    ),
  tooNew: (error, l10n) =>
    withEngineMessage(
      l10n.t(
        'The container engine at {0} is too new for this version of Gantry: update Gantry.',
        at(error),
      ),
      error,
      l10n,
    ),
  pinRefused: (error, l10n) =>
    withEngineMessage(
      l10n.t(
        'DOCKER_API_VERSION asks for a version that cannot be spoken with the container engine at {0}: remove it.',
        at(error),
      ),
      error,
      l10n,
    ),
} satisfies Partial<Readonly<Record<FailureReason, ErrorFormatter>>>;
