import type { CleanupKind, KindUse } from '../engine/system/cleanupKinds.ts';

/** One thing that the engine has, as the page shows it. All texts are bounded and safe to show. */
export interface PageItem {
  readonly key: string;
  /** Identifies what the user sees: the same key can later be that of another volume, or of an image with more tags. */
  readonly seen: string;
  readonly kind: CleanupKind;
  /** Of an image every name that is removed with it. */
  readonly name: string;
  /** The number of tags of an image. */
  readonly tags: number;
  /** In bytes, what is reclaimed in any case; undefined if unknown. */
  readonly size: number | undefined;
  /** In bytes, the whole size of an image: an upper limit of what is reclaimed. */
  readonly atMost: number | undefined;
  /** Empty if unknown. */
  readonly age: string;
  readonly ageGroup: AgeGroup;
  /** The compose project; empty if it belongs to none. */
  readonly project: string;
  /** The name of the worktree that its project is of; empty if it is of none. */
  readonly worktree: string;
  /** Why it is kept, or what it is. */
  readonly note: string;
  /** `gone`: it was removed while the page showed it. */
  readonly state: 'removable' | 'kept' | 'gone';
  /** Whether it is selected at first, because it is unused and easy to make again. */
  readonly isSuggested: boolean;
  /** Whether the user never wants to remove it. */
  readonly isExcluded: boolean;
  /** The keys of items that have to be removed before it. They come before it in the list. */
  readonly needs: readonly string[];
}

/** From young to old. */
export const AGE_GROUPS = ['day', 'week', 'month', 'older', 'unknown'] as const;

export type AgeGroup = (typeof AGE_GROUPS)[number];

export interface PageContent {
  /** In an order in which they can be removed. */
  readonly items: readonly PageItem[];
  /** A line that names the engine, if there are several; else empty. */
  readonly engine: string;
  /** The number of items that are not shown, because there are too many. */
  readonly hidden: number;
  readonly uses: readonly KindUse[];
  /** Whether the lists are not there yet. */
  readonly isLoading: boolean;
  /** Whether the engine still calculates sizes. */
  readonly isMeasuring: boolean;
  readonly isRemoving: boolean;
  /** Number of times that another engine came into use. A selection is void after that. */
  readonly switches: number;
  /** Why something is missing or out of date; empty if all is well. */
  readonly problem: string;
  /** Whether the engine can be reached. */
  readonly isConnected: boolean;
}

export type ToPage =
  | {
      readonly type: 'init';
      readonly strings: Readonly<Record<string, string>>;
      readonly title: string;
      /** Stored with the state of the page, to restore the panel. */
      readonly engine: string;
    }
  /** Only this kind is selected at first and open; all if undefined. */
  | { readonly type: 'focus'; readonly kind: CleanupKind | undefined }
  | { readonly type: 'content'; readonly content: PageContent };

export type ToHost =
  | { readonly type: 'ready' }
  | { readonly type: 'refresh' }
  /** The user has confirmed these; see `PageItem.seen`. */
  | { readonly type: 'remove'; readonly seen: readonly string[] }
  | { readonly type: 'exclude'; readonly key: string; readonly isOn: boolean };
