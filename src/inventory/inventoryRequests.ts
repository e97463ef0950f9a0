import { Emitter } from '../base/lifetime.ts';

/** Requests besides what events report. Served by the watcher's session; ignored while it has no session. */
export class InventoryRequests extends Emitter<InventoryRequest> {
  /**
   * Requests all lists again, once for calls that come together. If the engine is lost, retries now, whatever the
   * failure was.
   */
  renew(): void {
    this.fire({ kind: 'renew' });
  }

  /**
   * Requests what events do not report, because the window has the focus again. Retries a lost engine now, unless only
   * the user can fix the failure: a prompt of ssh outside VS Code gives the focus back when it is canceled.
   */
  refocus(): void {
    this.fire({ kind: 'refocus' });
  }

  /** Requests a container whose state may have changed without an event, for example by a failed command. */
  recheck(id: string): void {
    this.fire({ kind: 'recheck', id });
  }

  /**
   * Pings the engine because another request could not reach it, then requests all lists. The engine is lost if the
   * ping fails. Does nothing while it is lost.
   */
  verify(): void {
    this.fire({ kind: 'verify' });
  }
}

export type InventoryRequest =
  | { readonly kind: 'renew' | 'refocus' | 'verify' }
  | { readonly kind: 'recheck'; readonly id: string };
