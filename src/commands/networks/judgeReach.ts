import * as l10n from '@vscode/l10n';
import { isPredefinedNetwork } from '../../engine/model.ts';
import { parseIp, type IpAddress } from '../../engine/networks/ipRange.ts';
import {
  isLoopbackSocket,
  isWildcard,
  type ListeningSocket,
} from '../../engine/networks/listeningSocket.ts';
import type { ReachFacts } from '../../engine/networks/reachFacts.ts';
import { formatName } from '../ui/formatNames.ts';

/** Judges the facts. Never negative if a fact is only unknown. */
export function judgeReach(facts: ReachFacts, port: number): Reach {
  const checks = [
    checkRunning(facts),
    checkNetwork(facts),
    // In one network stack, the name is `localhost`.
    ...(facts.isSameStack ? [] : [checkName(facts)]),
    checkPort(facts, port),
  ];
  if (checks.some(({ ok }) => ok === false)) return { isReachable: false, checks };
  return checks.every(({ ok }) => ok === true) ? { isReachable: true, checks } : { checks };
}

/** Judgement on whether a container can reach a port of another one, and what it depends on. */
export interface Reach {
  /** Absent if one of the checks is inconclusive and no other one fails. */
  readonly isReachable?: boolean;
  readonly checks: readonly ReachCheck[];
}

/** One thing that must be so. */
export interface ReachCheck {
  readonly name: 'running' | 'sharedNetwork' | 'nameResolves' | 'portListens';
  /** Absent if unknown. */
  readonly ok?: boolean;
  /** The one thing to change, as a sentence. */
  readonly fix?: string;
}

function checkRunning({ from, to }: ReachFacts): ReachCheck {
  const name = 'running';
  const stopped = [from, to].find(({ isRunning }) => !isRunning);
  if (!stopped) return { name, ok: true };
  return { name, ok: false, fix: l10n.t('Start or unpause {0}.', formatName(stopped.name)) };
}

function checkNetwork({ from, to, isSameStack, shared }: ReachFacts): ReachCheck {
  const name = 'sharedNetwork';
  if (isSameStack || shared.length > 0) return { name, ok: true };
  if ([from, to].some(({ mode }) => mode === 'host')) {
    // The host reaches the addresses of containers, and they reach it, unless a firewall prevents it.
    const fix = l10n.t("One container uses host networking. Use the host's address.");
    return { name, fix };
  }
  const names = [formatName(from.name), formatName(to.name)] as const;
  const usable = [...to.networks, ...from.networks].find((one) => !isPredefined(one));
  const fix = usable
    ? l10n.t(
        'Connect {0} and {1} to the same network, such as {2}.',
        ...names,
        formatName(usable.name),
      )
    : l10n.t('Connect {0} and {1} to the same network.', ...names);
  return { name, ok: false, fix };
}

function checkName({ from, to, shared, lookup }: ReachFacts): ReachCheck {
  const name = 'nameResolves';
  const [first] = shared;
  if (!first || !from.isRunning || !to.isRunning) return { name };
  const addresses = to.networks.flatMap(({ ip, ip6 }) => [parsed(ip), parsed(ip6)].flat());
  const isRight =
    addresses.length === 0 || lookup?.some((one) => addresses.some((other) => isSame(one, other)));
  if (lookup && lookup.length > 0 && isRight) return { name, ok: true };
  const address = first.ip ?? first.ip6 ?? '';
  const fix = shared.every(isPredefined)
    ? l10n.t('Connect both to a user-defined network, which resolves names, or use {0}.', address)
    : l10n.t('Use the address {0}, or give {1} an alias.', address, formatName(to.name));
  if (lookup) return { name, ok: false, fix };
  return shared.every(isPredefined) ? { name, fix } : { name };
}

function checkPort(facts: ReachFacts, port: number): ReachCheck {
  const name = 'portListens';
  const { to, sockets, isSameStack, shared } = facts;
  if (!sockets) return { name };
  const own = shared.flatMap(({ ip, ip6 }) => [parsed(ip), parsed(ip6)].flat());
  const found = sockets.filter((one) => one.port === port);
  const isReached = (one: ListeningSocket): boolean =>
    isSameStack || isWildcard(one) || own.some((ip) => isSame(ip, one.ip));
  if (found.some(isReached)) return { name, ok: true };
  const container = formatName(to.name);
  if (found.some(isLoopbackSocket)) {
    const fix = l10n.t(
      'The process in {0} listens on 127.0.0.1 only. Make it listen on 0.0.0.0.',
      container,
    );
    return { name, ok: false, fix };
  }
  if (found.length > 0) {
    // Without a shared network, it is not known on which address it would have to listen.
    if (shared.length === 0) return { name };
    const fix = l10n.t(
      'The process in {0} listens on another network only. Make it listen on 0.0.0.0.',
      container,
    );
    return { name, ok: false, fix };
  }
  return { name, ok: false, fix: nothingListens(sockets, container, port) };
}

/** Maximum number of ports to name. */
const EXAMPLES = 5;

function nothingListens(
  sockets: readonly ListeningSocket[],
  container: string,
  port: number,
): string {
  const others = sockets.filter((one) => !isLoopbackSocket(one)).map((one) => one.port);
  const open = [...new Set(others)].sort((a, b) => a - b).slice(0, EXAMPLES);
  // Strings, because numbers would be formatted with the thousands separators of the user's language.
  return open.length > 0
    ? l10n.t(
        'No process in {0} listens on port {1}. Listening ports: {2}.',
        container,
        String(port),
        open.join(', '),
      )
    : l10n.t('No process in {0} listens on port {1}. Start the server.', container, String(port));
}

function isPredefined({ name, networkId }: { readonly name: string; readonly networkId: string }) {
  return isPredefinedNetwork({ id: networkId, name });
}

function parsed(ip: string | undefined): readonly IpAddress[] {
  const address = ip === undefined ? undefined : parseIp(ip);
  return address ? [address] : [];
}

function isSame(a: IpAddress, b: IpAddress): boolean {
  return a.family === b.family && a.value === b.value;
}
