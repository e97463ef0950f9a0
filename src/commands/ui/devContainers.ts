/** The extension Dev Containers, which is not ours, as far as this window knows it. */
export interface DevContainers {
  /** Whether this editor can have it. */
  isPossible(): boolean;
  /** Whether it is installed and enabled. */
  isInstalled(): Promise<boolean>;
  /** Installs it. */
  install(): Promise<void>;
  /** The program by which it works on containers. */
  program(): string;
  /** Sets that program for the user. */
  setProgram(program: string): Promise<void>;
  /** The variables that settings add to the environment of that program. */
  variables(): Readonly<Record<string, string>>;
  /** Shows the settings that choose its engine. */
  showSettings(): void;
  /**
   * Attaches a new window to a running container, in the folder that the extension remembers for it.
   *
   * @param id the ID of the container.
   * @throws MissingCommandError if the extension has no such command.
   */
  attach(id: string): Promise<void>;
  /**
   * Attaches a new window to a running container, in a folder of it.
   *
   * @param host the address of the engine as in `DOCKER_HOST`; undefined for the engine of its program.
   */
  openFolder(id: string, folder: string, host?: string): Promise<void>;
}

/** A command of another extension does not exist. Its message is the ID of the command. */
export class MissingCommandError extends Error {}
