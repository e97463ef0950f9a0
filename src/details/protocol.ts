/** One value of an object, as the page shows it. All texts are bounded, and shown as text. */
export interface PageRow {
  /** Identifies the row, also after it has changed. */
  readonly key: string;
  readonly label: string;
  readonly value: string;
  /** What is said of the value, beside it. */
  readonly note?: string;
  /** Several lines below. */
  readonly block?: string;
  /** Whether the end of a block that is too long matters most. */
  readonly isTail?: true;
  /** Whether the value is masked, and can be asked for. */
  readonly isSecret?: true;
  /** Whether the value does something. */
  readonly isLink?: true;
  readonly isBad?: true;
}

export interface PageSection {
  readonly id: string;
  readonly title: string;
  readonly rows: readonly PageRow[];
}

/** The state of the object in a sentence, and why it is not well. */
export interface PageHead {
  readonly tone: Tone;
  readonly sentence: string;
  /** Lines below. */
  readonly why: readonly string[];
}

export type Tone = 'good' | 'bad' | 'warning' | 'busy' | 'plain';

export interface DetailsContent {
  readonly title: string;
  /** The kind of the object, and its engine if there are several. */
  readonly subtitle: string;
  readonly head: PageHead | undefined;
  /** Why the values may be out of date; empty if they are not. */
  readonly notice: string;
  readonly isLoading: boolean;
  readonly isPinned: boolean;
  readonly sections: readonly PageSection[];
}

/** A process of a container, as the page shows it. */
export interface PageProcess {
  /** Identifies the process for a signal; empty if it can get none. */
  readonly key: string;
  /** How many processes it is below, of those shown. */
  readonly depth: number;
  readonly pid: string;
  readonly user: string;
  readonly cpu: string;
  readonly memory: string;
  readonly command: string;
}

/** What a container uses, as the page shows it. */
export interface PageUsage {
  readonly cpu: PageGraph;
  readonly memory: PageGraph;
  /** Whether the last values are older than they should be. */
  readonly isOld: boolean;
}

/** A small graph. */
export interface PageGraph {
  readonly label: string;
  /** The last value; empty if there is none yet. */
  readonly text: string;
  /** The graph in words. */
  readonly spoken: string;
  /** Oldest first. A point without a value breaks the line. */
  readonly points: readonly { readonly at: number; readonly value: number | undefined }[];
  /** The value at the upper edge at least. */
  readonly scale: number;
}

export type ToPage =
  | {
      readonly type: 'init';
      readonly strings: Readonly<Record<string, string>>;
      /** Stored with the state of the page, to restore the panel. */
      readonly kept: object;
    }
  | { readonly type: 'content'; readonly content: DetailsContent }
  /** Undefined while there are none to show; `problem`: why they cannot be listed. */
  | {
      readonly type: 'processes';
      readonly processes: readonly PageProcess[] | undefined;
      readonly problem: string;
    }
  /** Undefined while the container does not run. */
  | { readonly type: 'usage'; readonly usage: PageUsage | undefined }
  /** The value of one secret, which the user asked for. */
  | { readonly type: 'revealed'; readonly key: string; readonly value: string };

export type ToHost =
  | { readonly type: 'ready' }
  | { readonly type: 'pin'; readonly isOn: boolean }
  | { readonly type: 'refresh' }
  | { readonly type: 'copy'; readonly key: string }
  | { readonly type: 'reveal'; readonly key: string }
  | { readonly type: 'follow'; readonly key: string }
  | { readonly type: 'signal'; readonly key: string };
