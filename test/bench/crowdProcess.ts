import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What can happen to a simulated container. */
export type CrowdAction =
  | 'pause'
  | 'unpause'
  | 'rename'
  | 'health_status: healthy'
  | 'health_status: unhealthy'
  | 'start'
  | 'die';

/** The message to the process. */
export interface CrowdMessage {
  readonly action: CrowdAction;
  readonly index: number;
}

/** An engine with many simulated containers. */
export class CrowdProcess {
  readonly socket: string;
  readonly count: number;
  readonly #child: ChildProcess;

  private constructor(socket: string, count: number, child: ChildProcess) {
    this.socket = socket;
    this.count = count;
    this.#child = child;
  }

  /** Starts an engine in which the containers with an even index are running. */
  static async start(folder: string, count: number): Promise<CrowdProcess> {
    const socket = join(folder, `crowd-${count}.sock`);
    const script = join(import.meta.dirname, 'crowdEngine.ts');
    const stdio = ['ignore', 'pipe', 'inherit', 'ipc'] as const;
    const child = fork(script, [socket, String(count)], { stdio: [...stdio] });
    if (child.stdout) await once(child.stdout, 'data');
    return new CrowdProcess(socket, count, child);
  }

  /** Triggers an event. Resolves to the time when it was written, in nanoseconds of the monotonic clock. */
  async happen(message: CrowdMessage): Promise<bigint> {
    const told = once(this.#child, 'message');
    this.#child.send(message);
    const [at] = (await told) as [string];
    return BigInt(at);
  }

  stop(): void {
    this.#child.kill();
  }
}
