import { Emitter, type Disposable, type Event } from '../../lifetime.ts';
import { oneLine } from '../../plainText.ts';
import type { ViewerMember } from '../protocol.ts';

/** Which containers are shown, and how. A service that is made anew keeps its colour. */
export class ViewerMembers implements Disposable {
  readonly #changes = new Emitter<undefined>();
  readonly #hidden = new Set<number>();
  readonly #colors = new Map<string, number>();
  #members: readonly MemberLike[] = [];

  /** Fires when others are to be shown. */
  readonly onDidChangeVisible: Event<undefined> = this.#changes.event;

  /** Takes the members as the log has them now. */
  update(members: readonly MemberLike[]): void {
    this.#members = members;
    const there = new Set(members.map(({ index }) => index));
    // Another one may get the number of one that is forgotten.
    for (const index of this.#hidden) if (!there.has(index)) this.#hidden.delete(index);
    for (const { name, service } of members) {
      const key = service ?? name;
      if (!this.#colors.has(key)) this.#colors.set(key, this.#colors.size % COLORS);
    }
  }

  idOf(index: number): string | undefined {
    return this.#members.find((one) => one.index === index)?.id;
  }

  nameOf(index: number): string {
    return oneLine(this.#members.find((one) => one.index === index)?.name ?? '');
  }

  get list(): readonly ViewerMember[] {
    return this.#members.map(({ index, name, service, isOver }) => ({
      index,
      name: oneLine(name),
      color: this.#colors.get(service ?? name) ?? 0,
      isShown: !this.#hidden.has(index),
      isOver,
    }));
  }

  get count(): number {
    return this.#members.length;
  }

  /** The members whose lines are shown; undefined for all, also those that are still to come. */
  get visibleIndexes(): readonly number[] | undefined {
    if (this.#hidden.size === 0) return undefined;
    return this.#members.map(({ index }) => index).filter((index) => !this.#hidden.has(index));
  }

  show(index: number, isShown: boolean): void {
    if (this.#hidden.has(index) !== isShown) return;
    if (isShown) this.#hidden.delete(index);
    else this.#hidden.add(index);
    this.#changes.fire(undefined);
  }

  dispose(): void {
    this.#changes.dispose();
  }
}

/** A container as its log tells it. */
export interface MemberLike {
  readonly index: number;
  readonly id: string;
  readonly name: string;
  readonly service?: string;
  readonly isOver: boolean;
}

/** The editor's chart colours that are used. */
const COLORS = 6;
