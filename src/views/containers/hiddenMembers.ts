import type { Container } from '../../engine/model.ts';
import { hookOf, projectOf } from '../../projects/projectLabels.ts';

/** The containers of projects that have no row because they are stopped. The rows of their projects count them. */
export class HiddenMembers {
  readonly #all = new Map<string, Container>();
  readonly #byProject = new Map<string, Map<string, Container>>();
  readonly #hooksByProject = new Map<string, Map<string, Container>>();

  get(id: string): Container | undefined {
    return this.#all.get(id);
  }

  /** Returns the hidden containers of a project. */
  of(project: string): readonly Container[] {
    return [...(this.#byProject.get(project)?.values() ?? [])];
  }

  /** Returns those of hooks among them: the rows of their services show that one has failed. */
  hooksOf(project: string): readonly Container[] {
    return [...(this.#hooksByProject.get(project)?.values() ?? [])];
  }

  /**
   * Notes that a container is hidden, or, without it, that it is not.
   *
   * @returns the projects whose hidden containers have changed.
   */
  set(id: string, container: Container | undefined): ReadonlySet<string> {
    const before = this.#all.get(id);
    if (before === container) return new Set();
    this.#all.delete(id);
    const changed = [before, container].flatMap((one) => (one && projectOf(one)) ?? []);
    for (const project of changed) this.#drop(id, project);
    if (container) this.#add(container);
    return new Set(changed);
  }

  #add(container: Container): void {
    const project = projectOf(container);
    if (project === undefined) return;
    this.#all.set(container.id, container);
    for (const index of this.#indexesOf(container)) {
      const members = index.get(project) ?? new Map<string, Container>();
      index.set(project, members.set(container.id, container));
    }
  }

  #indexesOf(container: Container): readonly Map<string, Map<string, Container>>[] {
    return hookOf(container) ? [this.#byProject, this.#hooksByProject] : [this.#byProject];
  }

  #drop(id: string, project: string): void {
    for (const index of [this.#byProject, this.#hooksByProject]) {
      const members = index.get(project);
      members?.delete(id);
      if (members?.size === 0) index.delete(project);
    }
  }
}
