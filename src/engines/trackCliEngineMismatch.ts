import * as vscode from 'vscode';
import type { Machine } from '../engine/discovery/endpoint.ts';
import { discoverEndpoints } from '../engine/discovery/discoverEndpoints.ts';
import { DEFAULT_ENGINE, type Engines } from './engines.ts';
import { isCliEngineMismatch } from './isCliEngineMismatch.ts';
import type { Disposable } from '../lifetime.ts';
import { settings } from '../settings.ts';

/**
 * Keeps the context key `gantry.isOtherEngine`: whether `gantry.host` leads elsewhere than the command line in a
 * terminal. It is looked at when the default engine is found or lost, for then a person may wonder.
 */
export function trackCliEngineMismatch(engines: Engines, machine: Machine): Disposable {
  let told = false;
  const tell = (isOther: boolean): void => {
    if (isOther === told) return;
    told = isOther;
    void vscode.commands.executeCommand('setContext', 'gantry.isOtherEngine', isOther);
  };
  const look = async (): Promise<void> => {
    const host = settings.host();
    if (host === '') {
      tell(false);
      return;
    }
    const choices = [discoverEndpoints(host, machine), discoverEndpoints('', machine)] as const;
    const [withHost, without] = await Promise.all(choices);
    const isOther = await isCliEngineMismatch(withHost, without, machine);
    // Another setting has a look of its own.
    if (settings.host() === host) tell(isOther);
  };
  return engines.onDidChangeInventory(({ phase }) => {
    const kind = engines.get(DEFAULT_ENGINE)?.inventory.phase.kind;
    // A hint that cannot be found out is no failure of anything.
    if (phase && (kind === 'lost' || kind === 'live')) look().catch(() => undefined);
  });
}
