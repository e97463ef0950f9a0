import { wallClock, type Clock } from '../../base/time.ts';
import type { OpenTunnel, SpareTunnels, Tunnel } from '../http/tunnel.ts';

/** Time that an open tunnel waits for the engine that uses it. */
const SPARE_MS = 30_000;

/**
 * Returns a factory of tunnels for a test of an address. When the test disposes an open tunnel, it becomes spare: the
 * engine that is added after the test, or another test, takes it, and ssh does not ask the same questions twice.
 */
export function keepTunnelOpen(
  open: OpenTunnel,
  spare: SpareTunnels,
  clock: Clock = wallClock,
): OpenTunnel {
  return (transport, url) => {
    const tunnel = open(transport, url);
    let isOpen = false;
    return {
      open: async (signal) => {
        isOpen = false;
        const path = await tunnel.open(signal);
        isOpen = true;
        return path;
      },
      get isNarrow() {
        return tunnel.isNarrow;
      },
      enter: (lane) => tunnel.enter(lane),
      retry: () => tunnel.retry(),
      dispose: () => {
        if (isOpen) keep(tunnel, url, spare, clock);
        else tunnel.dispose();
      },
    };
  };
}

function keep(tunnel: Tunnel, url: string, spare: SpareTunnels, clock: Clock): void {
  const older = spare.get(url);
  older?.closing.dispose();
  older?.tunnel.dispose();
  const closing = clock.after(SPARE_MS, () => {
    spare.delete(url);
    tunnel.dispose();
  });
  spare.set(url, { tunnel, closing });
}
