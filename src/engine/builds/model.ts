/** Nouns of a build: its request, what the engine may ask for, what it reports, and its result. */

import type { CallHandler } from './grpc/callStream.ts';
import type { RegistryAuth } from '../wire/registryAuth.ts';
import type { Sentence } from '../../base/sentence.ts';

/** An image to build. */
export interface BuildRequest {
  /** Absolute path of the folder that the Dockerfile may copy from. */
  readonly context: string;
  /** Absolute path; may be outside the context. */
  readonly dockerfile: string;
  /** References; an image without any gets no name. */
  readonly tags: readonly string[];
  /** The stage to build; by default the last one. */
  readonly target?: string;
  readonly args?: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  /** Each `os/arch[/variant]`; by default that of the engine. */
  readonly platforms?: readonly string[];
  /** The ids of the secrets that the build may ask for. */
  readonly secrets?: readonly string[];
  /** Whether the build may use the SSH agent. */
  readonly ssh?: boolean;
  /** Whether to run every step, even if its result is in the cache. */
  readonly noCache?: boolean;
  /** Whether to look for newer base images in the registry. */
  readonly pull?: boolean;
  readonly network?: 'default' | 'host' | 'none';
  /** Each `name:address`. */
  readonly addHosts?: readonly string[];
}

/** Options for watching and stopping a build. */
export interface BuildControls {
  /** Names the build in the history of the engine: 25 letters and digits; by default a random one. */
  readonly ref?: string;
  /** Whether Docker takes its old builder, without BuildKit: the user has asked for it. */
  readonly isClassic?: boolean | undefined;
  readonly onEvent: (event: BuildEvent) => void;
  readonly signal: AbortSignal;
}

/** Providers of what the engine may ask for during a build. Only what the request declares reaches these functions. */
export interface BuildProviders {
  /**
   * Resolves to the credentials for a registry (`host[:port]`), or to undefined if there are none. The repository is
   * that of the first base image from there.
   */
  readonly credentials: (
    registry: string,
    signal: AbortSignal,
    repository?: string,
  ) => Promise<RegistryAuth | undefined>;
  /**
   * Resolves to the value of a secret, at most 500 KiB. If it rejects, the build ends with that error, which is not
   * sent to the engine.
   */
  readonly secret: (id: string, signal: AbortSignal) => Promise<Uint8Array>;
  /** Path of the socket of the SSH agent. */
  readonly sshAgent?: string;
}

/** The files of a build, for an engine that asks for them while it builds. */
export interface BuildContext {
  /**
   * Same text for the same context and installation, another one for any other: the engine compares files with what
   * it was sent before under this key.
   */
  readonly sharedKey: string;
  /**
   * Serves `moby.filesync.v1.FileSync/DiffCopy`. The metadata `dir-name` is `dockerfile` or `context`. Called for
   * each part that the engine needs, also at the same time.
   */
  readonly diffCopy: CallHandler;
  /** Why files could not be sent: if the build fails, it fails with this error. The engine knows less. */
  readonly failure?: Error | undefined;
}

/** A step of a build as last reported. */
export interface BuildStep {
  /** Unique within a build; equal in two builds if the step and everything before it are equal. */
  readonly id: string;
  /** One line: `[stage-1 2/4] COPY . .`, `exporting to image`. */
  readonly name: string;
  /** The ids of the steps it needs. */
  readonly inputs: readonly string[];
  readonly state: 'waiting' | 'running' | 'done' | 'cached' | 'failed' | 'canceled';
  /** In milliseconds since 1970. */
  readonly startedAt?: number;
  readonly endedAt?: number;
  /** Why it failed. */
  readonly error?: string;
  /** The image of the state after it, or the base image: only of builders that write text. */
  readonly image?: string;
}

/** A part of a step with a progress of its own: a layer of a base image, or the files that are sent. */
export interface BuildTransfer {
  /** The step that it belongs to. */
  readonly step: string;
  /** Unique within the step. */
  readonly id: string;
  readonly name: string;
  /** In bytes. */
  readonly current: number;
  readonly total?: number;
  readonly isDone: boolean;
}

export interface BuildStepOutput {
  readonly step: string;
  /** In milliseconds since 1970. */
  readonly time: number;
  readonly stream: 'stdout' | 'stderr';
  /** May end within a line, or within a character. */
  readonly data: Uint8Array;
}

export interface LineRange {
  /** From 1. */
  readonly start: number;
  readonly end: number;
}

/** A range in a Dockerfile as the engine read it. */
export interface BuildSource {
  /** Relative to the context. */
  readonly file: string;
  /** The text that was built, for a comparison with the file. */
  readonly text?: string;
  readonly lines: LineRange;
}

/** A finding of the checks of the builder. */
export interface BuildWarning {
  /** The rule and what is wrong. */
  readonly message: string;
  /** The message to be translated, if it is ours. */
  readonly sentence?: Sentence;
  readonly detail?: string;
  /** Address of the explanation of the rule. */
  readonly url?: string;
  readonly source?: BuildSource;
}

/** Event that the engine reports about a build. */
export type BuildEvent =
  | { readonly kind: 'step'; readonly step: BuildStep }
  | { readonly kind: 'transfer'; readonly transfer: BuildTransfer }
  | { readonly kind: 'output'; readonly output: BuildStepOutput }
  | { readonly kind: 'warning'; readonly warning: BuildWarning }
  | { readonly kind: 'refusal'; readonly refusal: BuildRefusal };

/** A question of the engine that was not answered, because the build does not need it. */
export interface BuildRefusal {
  /** Kind of the request: the credentials of a registry, a secret, or the SSH agent. */
  readonly kind: 'credentials' | 'secret' | 'ssh';
  /** The registry, or the id. */
  readonly name: string;
}

/** Sent part of the context of a build. */
export interface SentContext {
  readonly bytes: number;
  /** The ten largest files, largest first. Paths are relative to the context. */
  readonly largest: readonly { readonly path: string; readonly size: number }[];
}

/** The image that was built. */
export interface BuildResult {
  /** `sha256:` and 64 hexadecimal digits; empty if there are several images. */
  readonly imageId: string;
  /** Digest of the manifest, if the engine has one. */
  readonly digest?: string;
  /** Whether the image is not on the engine: a builder has pushed it, or has it in its cache only. */
  readonly isElsewhere?: 'pushed' | 'cached';
  /** Missing if nothing was, or if the context was sent as a tar. */
  readonly sent?: SentContext;
  /** The ID of the image that had one of the tags before, or that the last build of the Dockerfile made. */
  readonly lastImageId?: string | undefined;
}

/** Where and why a build failed. */
export interface BuildFailure {
  /** The id of the step that failed. */
  readonly step?: string;
  readonly source?: BuildSource;
  /** Absolute path of the Dockerfile, if the request does not name it. */
  readonly dockerfile?: string;
  readonly exitCode?: number;
  /** The base image that the builder could not get, if the Dockerfile names its registry. */
  readonly base?: BaseRepository;
  /** The registry that refused to give a base image. */
  readonly registry?: string;
}

/** The registry of a base image, and the first repository from it in the Dockerfile. */
export interface BaseRepository {
  readonly registry: string;
  readonly repository?: string;
}

/** A build that the engine keeps in its history, or that is running. */
export interface BuildRecord {
  readonly ref: string;
  /** The names of the image, if it has any. */
  readonly tags: readonly string[];
  readonly target?: string;
  readonly dockerfile?: string;
  /** The folder of the Dockerfile, relative to the root of its repository, if the client reports it. */
  readonly folder?: string;
  readonly context?: string;
  readonly startedAt: number;
  readonly endedAt?: number;
  readonly state: 'running' | 'done' | 'failed' | 'canceled';
  readonly error?: string;
  readonly steps: number;
  readonly cachedSteps: number;
  readonly completedSteps: number;
}

/** A change in the history of an engine. */
export type BuildHistoryEvent =
  | { readonly kind: 'changed'; readonly record: BuildRecord }
  | { readonly kind: 'removed'; readonly ref: string };
