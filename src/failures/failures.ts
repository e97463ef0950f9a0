/** What each failure reason means to the user. */

import { EngineError, type FailureReason } from '../engine/errors.ts';
import type { L10n } from '../l10n.ts';
import { certificateUntrusted, certificateUnusable } from './certificateMessages.ts';

/** The row for failures that the engine explains itself. */
const ENGINE_FAILED: Failure = {
  state: 'unreachable',
  short: (l10n) => l10n.t('the engine failed'),
  long: engineMessageOf,
};

/** One row for each failure reason. */
export const FAILURES: Readonly<Record<FailureReason, Failure>> = {
  socketAbsent: {
    state: 'absent',
    short: (l10n) => l10n.t('there is no socket'),
    long: (l10n, at) => l10n.t('No container engine is running: there is no socket at {0}.', at),
  },
  permissionDenied: {
    state: 'denied',
    short: (l10n) => l10n.t('permission denied'),
    long: permissionDenied,
  },
  refused: {
    state: 'refused',
    short: (l10n) => l10n.t('nobody listens'),
    long: (l10n, at) =>
      l10n.t('The container engine at {0} is not running: connection refused. Start it.', at),
  },
  notASocket: {
    state: 'notEngine',
    short: (l10n) => l10n.t('not a socket'),
    long: (l10n, at) => l10n.t('{0} is no socket, so no container engine listens there.', at),
  },
  unreachable: {
    state: 'unreachable',
    short: (l10n) => l10n.t('no connection'),
    long: (l10n, at) =>
      l10n.t('The container engine at {0} cannot be reached from this machine.', at),
    isQuoting: true,
  },
  badEndpoint: {
    state: 'badEndpoint',
    short: (l10n) => l10n.t('the address makes no sense'),
    long: (l10n, at) =>
      l10n.t(
        '"{0}" is no address of an engine. Write a socket path, unix://, npipe://, tcp://host:port or ssh://user@host.',
        at,
      ),
  },
  hostUnknown: {
    state: 'hostUnknown',
    short: (l10n) => l10n.t('no machine has that name'),
    long: (l10n, at) =>
      l10n.t(
        'No machine with the name in {0} is known: check the name, and whether you are online.',
        at,
      ),
  },
  connectTimeout: {
    state: 'timeout',
    short: (l10n) => l10n.t('no answer in time'),
    long: (l10n, at) =>
      l10n.t(
        'The machine of {0} does not answer: check that it runs and that no firewall is in the way.',
        at,
      ),
  },
  contextMissing: {
    state: 'context',
    short: (l10n) => l10n.t('there is no such context'),
    long: (l10n, _at, { engineMessage = '' }) =>
      l10n.t('There is no context named "{0}": choose another one.', engineMessage),
  },
  contextBroken: {
    state: 'context',
    short: (l10n) => l10n.t('the context cannot be used'),
    long: (l10n, _at, { engineMessage = '' }) =>
      l10n.t(
        'The context "{0}" says nothing of an engine that can be used: choose another one, or mend it.',
        engineMessage,
      ),
  },
  certificateUntrusted: {
    state: 'certificate',
    short: (l10n) => l10n.t('its certificate is not trusted'),
    long: certificateUntrusted,
  },
  clientCertificateNeeded: {
    state: 'clientCertificate',
    short: (l10n) => l10n.t('it wants a certificate of yours'),
    long: (l10n, at) =>
      l10n.t(
        '{0} lets in only who has a certificate that it knows: set yours and its private key.',
        at,
      ),
  },
  certificateUnusable: {
    state: 'ownCertificate',
    short: (l10n) => l10n.t('your certificate cannot be used'),
    long: certificateUnusable,
  },
  tlsNeeded: {
    state: 'tlsNeeded',
    short: (l10n) => l10n.t('it speaks only encrypted'),
    long: (l10n, at) =>
      l10n.t('{0} speaks only encrypted (TLS): switch that on, or set its certificates.', at),
  },
  tlsNotSpoken: {
    state: 'tlsNotSpoken',
    short: (l10n) => l10n.t('it does not speak encrypted'),
    long: (l10n, at) =>
      l10n.t('{0} does not speak encrypted (TLS): switch that off, or check the port.', at),
  },
  sshMissing: {
    state: 'sshMissing',
    short: (l10n) => l10n.t('there is no ssh program'),
    long: (l10n, at) =>
      l10n.t('{0} is reached with the program ssh, which was not found: install OpenSSH.', at),
  },
  sshHostKey: {
    state: 'sshHostKey',
    short: (l10n) => l10n.t('ssh: the host key is not the known one'),
    long: (l10n, at) =>
      l10n.t(
        '{0} did not prove to be the machine you know: check its host key with ssh in a terminal.',
        at,
      ),
    isQuoting: true,
  },
  sshRefused: {
    state: 'sshRefused',
    short: (l10n) => l10n.t('ssh: not let in'),
    long: (l10n, at) =>
      l10n.t('{0} did not let you in: check the user, and the key or password.', at),
    isQuoting: true,
  },
  sshNoForwarding: {
    state: 'sshNoForwarding',
    short: (l10n) => l10n.t('ssh: forwarding is refused'),
    long: (l10n, at) =>
      l10n.t('{0} lets you in, but neither forwards a socket nor has a Docker command line.', at),
    isQuoting: true,
  },
  sshSocketMissing: {
    state: 'sshSocketMissing',
    short: (l10n) => l10n.t('ssh: no engine there'),
    long: (l10n, at) =>
      l10n.t(
        '{0} lets you in, but no container engine was found: start it, or add its socket’s path to the address.',
        at,
      ),
  },
  sshFailed: {
    state: 'sshFailed',
    short: (l10n) => l10n.t('ssh failed'),
    long: (l10n, at) => l10n.t('{0} could not be reached by ssh.', at),
    isQuoting: true,
  },
  sshFull: {
    state: 'sshFailed',
    short: (l10n) => l10n.t('too many logs and terminals are open'),
    long: (l10n, at) =>
      l10n.t(
        'Too many logs and terminals are open over the SSH connection to {0}. Close one, then try again.',
        at,
      ),
  },
  disconnected: {
    state: 'off',
    short: (l10n) => l10n.t('disconnected'),
    long: (l10n) => l10n.t('The container engine is disconnected. Connect it, then try again.'),
  },
  engineRemoved: {
    state: 'off',
    short: (l10n) => l10n.t('changed or removed in the settings'),
    long: (l10n) => l10n.t('The container engine was changed or removed in the settings.'),
  },
  engineReplaced: {
    state: 'off',
    short: (l10n) => l10n.t('another engine is in use'),
    long: (l10n, at) =>
      l10n.t('The container engine at {0} is no longer in use. Switch back, then try again.', at),
  },
  notAnEngine: {
    state: 'notEngine',
    short: (l10n) => l10n.t('what answers is not a container engine'),
    long: (l10n, at) =>
      l10n.t('What answers at {0} is not a container engine: check the address.', at),
  },
  proxyPage: {
    state: 'proxyPage',
    short: (l10n) => l10n.t('a web page answers'),
    long: (l10n, at) =>
      l10n.t(
        'What answers at {0} is a web page, not a container engine: check the address, or the proxy in between.',
        at,
      ),
  },
  tooOld: {
    state: 'tooOld',
    short: (l10n) => l10n.t('the engine is too old'),
    long: (l10n, at) =>
      l10n.t('The container engine at {0} is too old: Docker 20.10 or Podman 4 is needed.', at),
    isQuoting: true,
  },
  tooNew: {
    state: 'tooNew',
    short: (l10n) => l10n.t('the engine is too new'),
    long: (l10n, at) =>
      l10n.t(
        'The container engine at {0} is too new for this version of Gantry: update Gantry.',
        at,
      ),
    isQuoting: true,
  },
  pinRefused: {
    state: 'pinned',
    short: (l10n) => l10n.t('DOCKER_API_VERSION does not fit it'),
    long: (l10n, at) =>
      l10n.t(
        'DOCKER_API_VERSION asks for a version that cannot be spoken with the container engine at {0}: remove it.',
        at,
      ),
    isQuoting: true,
  },
  timeout: {
    state: 'timeout',
    short: (l10n) => l10n.t('no answer in time'),
    long: (l10n, _at, { operation = '', limitSeconds = '' }) =>
      l10n.t('The container engine did not answer {0} within {1} s.', operation, limitSeconds),
  },
  cut: {
    state: 'unreachable',
    short: (l10n) => l10n.t('the connection was cut'),
    long: (l10n) => l10n.t('The connection to the container engine broke before it had answered.'),
  },
  badAnswer: {
    state: 'notEngine',
    short: (l10n) => l10n.t('what answers is not a container engine'),
    long: (l10n, _at, { operation = '' }) =>
      l10n.t('The container engine answered {0} in a way that makes no sense.', operation),
  },
  tooLarge: {
    state: 'unreachable',
    short: (l10n) => l10n.t('the engine failed'),
    long: (l10n, _at, { operation = '' }) =>
      l10n.t('The container engine answered {0} with more than Gantry takes.', operation),
  },
  notFound: {
    state: 'notEngine',
    short: (l10n) => l10n.t('what answers is not a container engine'),
    long: engineMessageOf,
  },
  conflict: ENGINE_FAILED,
  badRequest: ENGINE_FAILED,
  unauthorized: {
    state: 'denied',
    short: (l10n) => l10n.t('permission denied'),
    long: engineMessageOf,
  },
  failed: ENGINE_FAILED,
};

/** What a failure reason means to the user. */
interface Failure {
  /** The value of the context key `gantry.state`, which selects the welcome text of an empty view. */
  readonly state: string;
  /** A few words for a tree row. */
  readonly short: (l10n: L10n) => string;
  readonly long: FailureFormatter;
  /** Whether to append the message of the program that failed, if there is one. */
  readonly isQuoting?: true;
}

/** Formats sentences for a message: what failed and how to fix it. */
type FailureFormatter = (l10n: L10n, at: string, error: EngineError) => string;

/** Formats an error as sentences that tell the user what to do. */
export function formatFailure(error: unknown, l10n: L10n): string {
  if (!(error instanceof EngineError))
    return error instanceof Error ? error.message : String(error);
  const { endpoint = '', engineMessage = '' } = error;
  const { long, isQuoting } = FAILURES[error.reason];
  const text = long(l10n, endpoint, error);
  return isQuoting && engineMessage !== '' ? l10n.t('{0} ({1})', text, engineMessage) : text;
}

function permissionDenied(l10n: L10n, at: string): string {
  if (/^unix:\/\/(?:\/var)?\/run\/docker\.sock$/.test(at)) {
    return l10n.t(
      'You may not use the container engine at {0}: join the group "docker", then log in anew.',
      at,
    );
  }
  if (/^unix:\/\/(?:\/var)?\/run\/podman\//.test(at)) {
    return l10n.t(
      'You may not use the container engine at {0}, for it is root’s: start one of your own with "systemctl --user enable --now podman.socket".',
      at,
    );
  }
  return at.startsWith('unix:')
    ? l10n.t(
        'You may not use the container engine at {0}, for its socket is somebody else’s: ask to be let in, or start one of your own.',
        at,
      )
    : l10n.t(
        'You may not use the container engine at {0}: permission denied. Ask to be let in there.',
        at,
      );
}

/** Full container IDs in engine messages, shortened as everywhere else. Digests are not matched. */
const WHOLE_ID = /(?<![:\da-f])([\da-f]{12})[\da-f]{52}(?![\da-f])/g;

function engineMessageOf(l10n: L10n, _at: string, error: EngineError): string {
  const { engineMessage, operation = '', status = '' } = error;
  return (
    engineMessage?.replace(WHOLE_ID, '$1') ??
    l10n.t('The engine refused {0} with status {1} and no reason.', operation, status)
  );
}
