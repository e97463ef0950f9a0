import type { ServerResponse } from 'node:http';
import { json, type Answer, type SeenRequest } from './fakeEngine.ts';
import { framed, logAnswer, stampOf, type Behaviour, type StoredRecord } from './logStore.ts';

/** Properties of the fake container and its engine. */
export interface FakeContainerOptions {
  readonly behaviour?: Behaviour;
  /** Whether a followed log loses its last record if that has no line end. */
  readonly losesUnterminatedEnd?: boolean;
  readonly id?: string;
}

const START = 1_785_571_200_000_000_000n;
/** Nanoseconds between two events. */
const STEP = 1_000_003n;

/** A container on a fake engine: answers inspect and log requests, and is controlled by the test. */
export class FakeContainer {
  readonly id: string;
  readonly #options: FakeContainerOptions;
  readonly #records: StoredRecord[] = [];
  readonly #followers = new Set<ServerResponse>();
  #at = START;
  #state: Record<string, unknown> = { Status: 'created', Running: false };
  #isGone = false;
  #isTruncated = false;
  #heldBack: StoredRecord[] = [];

  constructor(options: FakeContainerOptions = {}) {
    this.#options = options;
    this.id = options.id ?? 'c'.repeat(64);
  }

  readonly answer: Answer = (request, response) => {
    if (this.#isGone) json(response, 404, { message: `No such container: ${this.id}` });
    else if (request.path.endsWith('/json')) this.#inspected(response);
    else if (this.#state['Status'] === 'removing')
      json(response, 409, { message: 'can not get logs from container' });
    else this.#logged(request, response);
  };

  /** The number of open streams that follow the log. */
  get followers(): number {
    return this.#followers.size;
  }

  start(): void {
    this.#state = { Status: 'running', Running: true, StartedAt: this.#nextMoment() };
  }

  write(text: string, kind: 1 | 2 = 1): void {
    const record = this.#record(text, kind);
    const isHeldBack = this.#options.losesUnterminatedEnd === true && !text.endsWith('\n');
    if (isHeldBack) this.#heldBack.push(record);
    else this.#send([...this.#heldBack.splice(0), record]);
  }

  /** Writes complete lines, which followers get at once. */
  writeLines(lines: readonly string[]): void {
    this.#send(lines.map((line) => this.#record(line, 1)));
  }

  /** Advances the time by nanoseconds. */
  wait(nanoseconds: bigint): void {
    this.#at += nanoseconds;
  }

  /** Discards the oldest log records, except for the last `kept`. */
  rotate(kept: number): void {
    this.#records.splice(0, this.#records.length - kept);
  }

  /** Empties the log as `truncate` on its file does: Docker then sends nothing to those that follow it. */
  truncate(): void {
    this.rotate(0);
    this.#isTruncated = true;
  }

  /** Exits and ends the followed logs, as any exit does. */
  exit(exitCode: number): void {
    this.settle(exitCode);
    this.endLogs();
  }

  /** Sets the exited state in inspect responses without ending the logs. */
  settle(exitCode: number, status = 'exited'): void {
    this.#state = {
      ...this.#state,
      Status: status,
      Running: status === 'restarting',
      ExitCode: exitCode,
      FinishedAt: this.#nextMoment(),
    };
  }

  /** Sets the state in which nothing is running but the engine does not know the exit code yet. */
  halt(): void {
    const never = '0001-01-01T00:00:00Z';
    const unknown = { Status: 'stopping', Running: false, ExitCode: 0, FinishedAt: never };
    this.#state = { ...this.#state, ...unknown };
  }

  /** Ends the followed logs without changing the state. */
  endLogs(): void {
    this.#heldBack = [];
    for (const response of this.#followers) response.end();
    this.#followers.clear();
  }

  remove(): void {
    this.#isGone = true;
    this.endLogs();
  }

  #nextMoment(): string {
    this.#at += STEP;
    return stampOf(this.#at, 'docker20');
  }

  #record(text: string, kind: 1 | 2): StoredRecord {
    this.#at += STEP;
    const record = { kind, at: this.#at, text };
    this.#records.push(record);
    return record;
  }

  #send(records: readonly StoredRecord[]): void {
    if (this.#isTruncated) return;
    for (const response of this.#followers)
      response.write(framed(records, this.#options.behaviour ?? 'docker20'));
  }

  #inspected(response: ServerResponse): void {
    const config = { Tty: false };
    json(response, 200, { Id: this.id, Name: '/web', State: this.#state, Config: config });
  }

  #logged(request: SeenRequest, response: ServerResponse): void {
    response.setHeader('date', new Date(Number(this.#at / 1_000_000n)).toUTCString());
    response.flushHeaders();
    const isUnsent = this.#isTruncated && request.query.get('follow') === '1';
    const records = isUnsent ? [] : this.#records;
    response.write(logAnswer(records, this.#options.behaviour ?? 'docker20', request));
    if (request.query.get('follow') !== '1' || this.#state['Status'] !== 'running') {
      response.end();
      return;
    }
    this.#followers.add(response);
    response.on('close', () => this.#followers.delete(response));
  }
}
