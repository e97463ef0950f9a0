/** Meaning of each failure reason to the user. */

import * as l10n from '@vscode/l10n';
import { EngineError, type FailureReason } from '../../engine/errors.ts';
import { quotable } from '../../base/plainText.ts';
import { certificateUntrusted, certificateUnusable } from './certificateMessages.ts';
import { sentence, type Sentence } from '../../base/sentence.ts';
import { messageOf, translate, wordsOfEngine } from '../../base/translate.ts';

/** The row for failures that the engine explains itself. */
const ENGINE_FAILED: Failure = {
  state: 'unreachable',
  short: sentence('engine error'),
  long: engineMessageOf,
};

function isTcp(address: string): boolean {
  return /^(?:tcp|https?):/.test(address);
}

/** One row for each failure reason. */
export const FAILURES: Readonly<Record<FailureReason, Failure>> = {
  socketAbsent: {
    state: 'absent',
    short: sentence('socket not found'),
    long: sentence('No container engine is running: socket {0} not found.'),
  },
  permissionDenied: {
    state: 'denied',
    short: sentence('permission denied'),
    long: permissionDenied,
  },
  refused: {
    state: 'refused',
    short: sentence('connection refused'),
    long: (at) =>
      isTcp(at)
        ? l10n.t(
            'No container engine is running at {0} (connection refused). Check the port, or start it.',
            at,
          )
        : l10n.t('The container engine at {0} is not running (connection refused). Start it.', at),
  },
  notASocket: {
    state: 'notEngine',
    short: sentence('not a socket'),
    long: sentence('{0} is not a socket.'),
  },
  unreachable: {
    state: 'unreachable',
    short: sentence('no connection'),
    long: sentence('Cannot reach the container engine at {0} from this machine.'),
    quoting: sentence('Cannot reach the container engine at {0} from this machine: {1}.'),
  },
  badEndpoint: {
    state: 'badEndpoint',
    short: sentence('invalid address'),
    long: (at) =>
      l10n.t(
        '"{0}" is not a valid engine address. Use a socket path, unix://, npipe://, tcp://host:port, or ssh://user@host.',
        quotable(at),
      ),
  },
  hostUnknown: {
    state: 'hostUnknown',
    short: sentence('host not found'),
    long: sentence(
      'Cannot resolve the host name in {0}. Check the name and your network connection.',
    ),
  },
  connectTimeout: {
    state: 'timeout',
    short: sentence('timed out'),
    long: sentence(
      '{0} is not responding. Check that the host is running and that no firewall blocks the connection.',
    ),
  },
  contextMissing: {
    state: 'context',
    short: sentence('Docker context not found'),
    long: (_at, { engineMessage = '' }) =>
      l10n.t('Docker context "{0}" not found. Select another context.', engineMessage),
  },
  contextBroken: {
    state: 'context',
    short: sentence('invalid Docker context'),
    long: (_at, { engineMessage = '', cause }) =>
      cause === undefined
        ? l10n.t(
            'The Docker context "{0}" has no endpoint. Select another context, or fix this one.',
            engineMessage,
          )
        : l10n.t(
            'The endpoint of the Docker context "{0}" is invalid. Select another context, or fix this one.',
            engineMessage,
          ),
  },
  certificateUntrusted: {
    state: 'certificate',
    short: sentence('TLS certificate not trusted'),
    long: certificateUntrusted,
  },
  clientCertificateNeeded: {
    state: 'clientCertificate',
    short: sentence('client certificate required'),
    long: sentence('{0} requires a client certificate. Set your certificate and private key.'),
  },
  certificateUnusable: {
    state: 'ownCertificate',
    short: sentence('invalid client certificate'),
    long: certificateUnusable,
  },
  tlsNeeded: {
    state: 'tlsNeeded',
    short: sentence('TLS required'),
    long: sentence('{0} requires TLS. Turn on TLS, or set the certificates.'),
  },
  tlsNotSpoken: {
    state: 'tlsNotSpoken',
    short: sentence('TLS not supported'),
    long: sentence('{0} does not use TLS. Turn off TLS, or check the port.'),
  },
  sshMissing: {
    state: 'sshMissing',
    short: sentence('ssh not found'),
    long: sentence('Cannot connect to {0}: ssh not found. Install OpenSSH.'),
  },
  sshHostKey: {
    state: 'sshHostKey',
    short: sentence('SSH host key verification failed'),
    long: sentence(
      'SSH host key verification failed for {0}. Connect once with ssh in a terminal and check the host key.',
    ),
    quoting: sentence(
      'SSH host key verification failed for {0}: {1}. Connect once with ssh in a terminal and check the host key.',
    ),
  },
  sshRefused: {
    state: 'sshRefused',
    short: sentence('SSH authentication failed'),
    long: sentence(
      'SSH authentication failed for {0}. Check the user name and the key or password.',
    ),
    quoting: sentence(
      'SSH authentication failed for {0}: {1}. Check the user name and the key or password.',
    ),
  },
  sshNoForwarding: {
    state: 'sshNoForwarding',
    short: sentence('SSH forwarding not allowed'),
    long: sentence(
      'Connected to {0}, but the host does not allow socket forwarding and has no Docker CLI.',
    ),
    quoting: sentence(
      'Connected to {0}, but the host does not allow socket forwarding and has no Docker CLI: {1}.',
    ),
  },
  sshSocketMissing: {
    state: 'sshSocketMissing',
    short: sentence('no engine on the SSH host'),
    long: sentence(
      'Connected to {0}, but no container engine was found. Start it, or add its socket path to the address.',
    ),
  },
  sshFailed: {
    state: 'sshFailed',
    short: sentence('SSH connection failed'),
    long: sentence('SSH connection to {0} failed.'),
    quoting: sentence('SSH connection to {0} failed: {1}.'),
  },
  sshFull: {
    state: 'sshFailed',
    short: sentence('too many open logs and terminals'),
    long: sentence(
      'Too many logs and terminals are open over the SSH connection to {0}. Close one, then try again.',
    ),
  },
  disconnected: {
    state: 'off',
    short: sentence('disconnected'),
    long: sentence('The container engine is disconnected. Connect it, then try again.'),
  },
  engineRemoved: {
    state: 'off',
    short: sentence('changed or removed in the settings'),
    long: sentence('The container engine was changed or removed in the settings.'),
  },
  engineReplaced: {
    state: 'off',
    short: sentence('a different engine is in use'),
    long: sentence('The container engine at {0} is no longer in use. Switch back, then try again.'),
  },
  notAnEngine: {
    state: 'notEngine',
    short: sentence('not a container engine'),
    long: sentence('{0} is not a container engine. Check the address.'),
  },
  proxyPage: {
    state: 'proxyPage',
    short: sentence('not a container engine (web page)'),
    long: sentence(
      '{0} returned a web page, not the container engine API. Check the address and your proxy settings.',
    ),
  },
  signInNeeded: {
    state: 'signInNeeded',
    short: sentence('sign-in required'),
    long: (at, { status = '' }) =>
      l10n.t(
        '{0} requires a sign-in (HTTP status {1}), which container engines do not. Check the address and your proxy settings.',
        at,
        status,
      ),
  },
  tooOld: {
    state: 'tooOld',
    short: sentence('engine too old'),
    long: sentence(
      'The container engine at {0} is too old. Gantry requires Docker 20.10, Podman 4, or newer.',
    ),
    quoting: sentence(
      'The container engine at {0} is too old ({1}). Gantry requires Docker 20.10, Podman 4, or newer.',
    ),
  },
  tooNew: {
    state: 'tooNew',
    short: sentence('engine too new'),
    long: sentence(
      'This version of Gantry does not support the container engine at {0}. Update Gantry.',
    ),
    quoting: sentence(
      'This version of Gantry does not support the container engine at {0}: {1}. Update Gantry.',
    ),
  },
  pinRefused: {
    state: 'pinned',
    short: sentence('DOCKER_API_VERSION not supported'),
    long: sentence(
      'The container engine at {0} does not support the API version in DOCKER_API_VERSION. Unset the variable.',
    ),
    quoting: sentence(
      'The container engine at {0} does not support the API version in DOCKER_API_VERSION: {1}. Unset the variable.',
    ),
  },
  timeout: {
    state: 'timeout',
    short: sentence('timed out'),
    long: (at, { operation = '', limitSeconds = '' }) =>
      operation === 'GET /_ping' && at !== ''
        ? l10n.t(
            'Nothing answered at {0} within {1} s. Check the address, the port, and the firewall.',
            at,
            limitSeconds,
          )
        : l10n.t(
            'The container engine did not respond to {0} within {1} s.',
            operation,
            limitSeconds,
          ),
  },
  cut: {
    state: 'unreachable',
    short: sentence('connection lost'),
    long: (at, { operation }) =>
      operation === 'GET /_ping' && isTcp(at)
        ? l10n.t(
            '{0} closed the connection without a response. Turn on TLS, or check the port.',
            at,
          )
        : l10n.t('The connection to the container engine was lost before it responded.'),
  },
  badAnswer: {
    state: 'notEngine',
    short: sentence('not a container engine'),
    long: (_at, { operation = '' }) =>
      l10n.t('Unexpected response from the container engine to {0}.', operation),
  },
  tooLarge: {
    state: 'unreachable',
    short: sentence('engine error'),
    long: (_at, { operation = '' }) =>
      l10n.t("The container engine's response to {0} is too large.", operation),
  },
  notFound: {
    state: 'notEngine',
    short: sentence('not a container engine'),
    long: engineMessageOf,
  },
  conflict: ENGINE_FAILED,
  badRequest: ENGINE_FAILED,
  unauthorized: {
    state: 'denied',
    short: sentence('permission denied'),
    long: engineMessageOf,
  },
  failed: ENGINE_FAILED,
};

/** Meaning of a failure reason to the user. */
interface Failure {
  /** The value of the context key `gantry.state`, which selects the welcome text of an empty view. */
  readonly state: string;
  /** A few words for a tree row. */
  readonly short: Sentence;
  /** Sentence about what failed and how to fix it: `{0}` is the address. */
  readonly long: Sentence | ((at: string, error: EngineError) => string);
  /** As `long`; `{1}` is the message of the program that failed, which does not end with a period. */
  readonly quoting?: Sentence;
}

/** Formats an error as sentences that explain what to do. */
export function formatFailure(error: unknown): string {
  if (!(error instanceof EngineError))
    return error instanceof Error ? messageOf(error) : String(error);
  const { endpoint = '', engineMessage = '' } = error;
  const { long, quoting } = FAILURES[error.reason];
  const words = engineMessage.trim().replace(/\.$/, '');
  if (quoting && words !== '') return translate({ ...quoting, values: [endpoint, words] });
  return typeof long === 'function'
    ? long(endpoint, error)
    : translate({ ...long, values: [endpoint] });
}

/** Returns whether {@link formatFailure} returns the words of an engine or program, not sentences of Gantry. */
export function isQuotedFailure(error: unknown): boolean {
  if (!(error instanceof EngineError)) return true;
  return FAILURES[error.reason].long === engineMessageOf && error.engineMessage !== undefined;
}

function permissionDenied(at: string): string {
  if (/^unix:\/\/(?:\/var)?\/run\/docker\.sock$/.test(at)) {
    return l10n.t(
      'Permission denied for {0}. Add your user to the "docker" group, then log out and back in.',
      at,
    );
  }
  if (/^unix:\/\/(?:\/var)?\/run\/podman\//.test(at)) {
    return l10n.t(
      'Permission denied for {0}. Start your own socket with "systemctl --user enable --now podman.socket".',
      at,
    );
  }
  return at.startsWith('unix:')
    ? l10n.t(
        'Permission denied for {0}. Ask the owner of the socket for access, or start a rootless engine.',
        at,
      )
    : l10n.t('Permission denied for {0}. Ask the administrator of the host for access.', at);
}

/** Full container IDs in engine messages, shortened as everywhere else. Digests are not matched. */
const WHOLE_ID = /(?<![:\da-f])([\da-f]{12})[\da-f]{52}(?![\da-f])/g;

function engineMessageOf(_at: string, error: EngineError): string {
  const { operation = '', status = '' } = error;
  return (
    wordsOfEngine(error)?.replace(WHOLE_ID, '$1') ??
    l10n.t('The engine rejected {0} with HTTP status {1}.', operation, status)
  );
}
