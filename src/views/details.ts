import type { EngineError } from '../engine/errors.ts';
import type { L10n } from '../l10n.ts';
import { reasonWords } from './stateText.ts';
import { plain } from './words.ts';

/** The machine that was looked at, for it need not be the one the person sits at. */
export interface Place {
  /** The editor's name for the kind of remote window, such as `ssh-remote`; undefined in a local one. */
  readonly remoteName: string | undefined;
  readonly hostName: string;
}

/** What is known of a failure to reach the engine. */
export interface FailureFacts {
  readonly error: EngineError;
  /** Other addresses that were looked at in vain. */
  readonly attempts?: readonly { readonly error: EngineError }[];
  readonly place: Place;
}

/** All particulars of a failure, one in a line: why, where, what was asked, what was answered, what to do. */
export function failureDetails(facts: FailureFacts, l10n: L10n): string {
  const { error, attempts = [], place } = facts;
  const others = attempts.map((one) => one.error).filter((one) => one.endpoint !== error.endpoint);
  return [
    failureSentence(error, l10n),
    placeWords(place, l10n),
    error.operation && l10n.t('Asked: {0}', plain(error.operation)),
    error.status !== undefined && l10n.t('Status: {0}', error.status),
    error.engineMessage && l10n.t('Answer: {0}', plain(error.engineMessage)),
    ...others.map((one) =>
      l10n.t('Also tried {0}: {1}', addressOf(one, l10n), reasonWords(one.reason, l10n)),
    ),
    adviceFor(place, l10n),
  ]
    .filter((line) => typeof line === 'string' && line !== '')
    .join('\n');
}

/** Why the engine cannot be reached, and at which address, in one sentence. */
export function failureSentence(error: EngineError, l10n: L10n): string {
  const address = addressOf(error, l10n);
  switch (error.reason) {
    case 'socketAbsent':
      return l10n.t('There is no socket at {0}: no engine is running there.', address);
    case 'permissionDenied':
    case 'unauthorized':
      return l10n.t('You may not use the engine at {0}: permission was denied.', address);
    case 'refused':
      return l10n.t('Nobody listens at {0}: the engine is not running.', address);
    case 'notASocket':
      return l10n.t('{0} is a file or a folder, not the socket of an engine.', address);
    case 'notAnEngine':
    case 'badAnswer':
    case 'notFound':
      return l10n.t('What answers at {0} is not a container engine.', address);
    case 'tooOld':
      return l10n.t('The engine at {0} is too old for Gantry.', address);
    case 'tooNew':
      return l10n.t('The engine at {0} is too new for Gantry.', address);
    case 'timeout':
      return l10n.t('The engine at {0} did not answer in time.', address);
    case 'cut':
      return l10n.t('The connection to the engine at {0} was cut.', address);
    case 'badEndpoint':
      return l10n.t('{0} is no address of an engine.', address);
    case 'unreachable':
      return l10n.t('The engine at {0} cannot be reached.', address);
    case 'tooLarge':
    case 'conflict':
    case 'badRequest':
    case 'failed':
      return l10n.t('The engine at {0} failed.', address);
  }
}

function addressOf(error: EngineError, l10n: L10n): string {
  return plain(error.endpoint ?? '') || l10n.t('an unknown address');
}

function placeWords({ remoteName, hostName }: Place, l10n: L10n): string {
  const host = plain(hostName);
  return remoteName === undefined
    ? l10n.t('Looked at on this computer ({0}).', host)
    : l10n.t('Looked at on {0}, the machine of this remote window ({1}).', host, remoteName);
}

/** A container has its own file system: the engine's socket is not in it by itself. */
function adviceFor({ remoteName = '' }: Place, l10n: L10n): string {
  if (!remoteName.includes('container')) return '';
  return l10n.t(
    'This window works inside a container. Mount the engine’s socket into it (for example /var/run/docker.sock), or run Gantry on your own computer by the setting "{0}".',
    'remote.extensionKind',
  );
}
