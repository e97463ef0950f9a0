/** The steps of the way to an engine, before anything is asked of it. */

import type { Endpoint, SocketTransport, TcpTransport } from '../engine/discovery/endpoint.ts';
import { EngineError, type FailureReason } from '../engine/errors.ts';
import {
  resolveHost,
  probeSocket,
  probeTls,
  probeConnection,
  type SocketProbe,
} from '../engine/discovery/endpointProbe.ts';
import { oneLine } from '../plainText.ts';
import type { ConnectionCheck, CheckOptions, CheckFinding } from './checkRun.ts';

/**
 * What has to go well before an engine can be asked.
 *
 * @param isStanding whether a connection is open already.
 */
export function connectionChecks(
  endpoint: Endpoint,
  isStanding: boolean,
  parts: CheckOptions,
): readonly ConnectionCheck[] {
  const { transport } = endpoint;
  switch (transport.kind) {
    case 'socket':
      return [socketCheck(endpoint, transport, parts), connectCheck(endpoint, transport, parts)];
    case 'tcp':
      return [
        nameCheck(endpoint, transport, parts),
        connectCheck(endpoint, transport, parts),
        tlsCheck(endpoint, transport, parts),
      ];
    case 'ssh':
      return [sshCheck(isStanding, parts)];
  }
}

function socketCheck(
  endpoint: Endpoint,
  transport: SocketTransport,
  { machine, describe, l10n }: CheckOptions,
): ConnectionCheck {
  return {
    name: l10n.t('socket'),
    run: async (): Promise<CheckFinding> => {
      const look = await probeSocket(transport, machine);
      if (look.kind === 'pipe') {
        return { outcome: 'none', says: l10n.t('A pipe tells nothing before it is used.') };
      }
      const reason = objectionTo(look);
      const { owner = '', group = '', mode = '' } = look;
      if (reason !== undefined) {
        const why = describe(new EngineError(reason, { endpoint: endpoint.url }));
        const isKnown = look.kind === 'socket';
        const says = isKnown
          ? l10n.t(
              '{0} It belongs to {1} and the group {2}, with mode {3}.',
              why,
              owner,
              group,
              mode,
            )
          : why;
        return { outcome: 'bad', says };
      }
      return l10n.t(
        'It is a socket of {0} and the group {1}, with mode {2}, and you may use it.',
        ...[owner, group, mode],
      );
    },
  };
}

function objectionTo({ kind, mayUse }: SocketProbe): FailureReason | undefined {
  if (kind === 'absent') return 'socketAbsent';
  if (kind === 'other') return 'notASocket';
  return mayUse ? undefined : 'permissionDenied';
}

function nameCheck(
  endpoint: Endpoint,
  { host }: TcpTransport,
  { l10n }: CheckOptions,
): ConnectionCheck {
  return {
    name: l10n.t('name'),
    run: async (signal) => {
      const found = await resolveHost(endpoint, host, signal);
      return l10n.t('{0} is {1}.', host, found.join(', '));
    },
  };
}

function connectCheck(
  endpoint: Endpoint,
  transport: SocketTransport | TcpTransport,
  { l10n }: CheckOptions,
): ConnectionCheck {
  return {
    name: l10n.t('connection'),
    run: async (signal) => {
      await probeConnection(endpoint, transport, signal);
      return l10n.t('Somebody listens there.');
    },
  };
}

function tlsCheck(
  endpoint: Endpoint,
  transport: TcpTransport,
  { describe, l10n }: CheckOptions,
): ConnectionCheck {
  return {
    name: l10n.t('encryption'),
    run: async (signal): Promise<CheckFinding> => {
      const { tls } = transport;
      if (!tls) return { outcome: 'none', says: l10n.t('The connection is not encrypted.') };
      const look = await probeTls(endpoint, transport, tls, signal);
      const seen = l10n.t(
        '{0}; the certificate is for {1}, made by {2}, valid until {3}.',
        look.protocol,
        named(look.subject),
        named(look.issuer),
        oneLine(look.validTo),
      );
      if (!look.problem) return l10n.t('{0} It is trusted.', seen);
      const why = describe(look.problem);
      if (tls.verify) return { outcome: 'bad', says: `${seen} ${why}` };
      return l10n.t('{0} It is not looked at, as is set; otherwise: {1}', seen, why);
    },
  };
}

function sshCheck(isStanding: boolean, { l10n }: CheckOptions): ConnectionCheck {
  const says = l10n.t('Not tried, for that could ask for a password. Connect the engine first.');
  return {
    name: 'ssh',
    run: () => (isStanding ? l10n.t('The login stands.') : { outcome: 'none', says, isLast: true }),
  };
}

/** The parts of a certificate's name stand on lines of their own. */
function named(text: string): string {
  return oneLine(text.replaceAll('\n', ', '));
}
