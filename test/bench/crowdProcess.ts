import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What can happen to one of the crowd. */
export type CrowdAction =
  | 'pause'
  | 'unpause'
  | 'rename'
  | 'health_status: healthy'
  | 'health_status: unhealthy'
  | 'start'
  | 'die';

/** What its process is told. */
export interface CrowdMessage {
  readonly action: CrowdAction;
  readonly index: number;
}

/** An engine of many containers that do not exist. */
export class CrowdProcess {
  readonly socket: string;
  readonly count: number;
  readonly #child: ChildProcess;

  private constructor(socket: string, count: number, child: ChildProcess) {
    this.socket = socket;
    this.count = count;
    this.#child = child;
  }

  /** Starts one; every container with an even index runs. */
  static async start(folder: string, count: number): Promise<CrowdProcess> {
    const socket = join(folder, `crowd-${count}.sock`);
    const script = join(import.meta.dirname, 'crowdEngine.ts');
    const stdio = ['ignore', 'pipe', 'inherit', 'ipc'] as const;
    const child = fork(script, [socket, String(count)], { stdio: [...stdio] });
    if (child.stdout) await once(child.stdout, 'data');
    return new CrowdProcess(socket, count, child);
  }

  /** Lets something happen; the moment, in nanoseconds of the machine's clock, at which the event is written. */
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
