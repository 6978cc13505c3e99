/** What became of a call that was made in an earlier step. */
export interface PastCall {
  readonly tool: string;
  readonly answered: boolean;
}

/** Every call id so far and its newest use; can go back to an earlier state, so that writing may resume there. */
export class CallBook {
  readonly #calls = new Map<string, PastCall>();
  readonly #history: { readonly id: string; readonly before: PastCall | undefined }[] = [];

  get mark(): number {
    return this.#history.length;
  }

  find(id: string): PastCall | undefined {
    return this.#calls.get(id);
  }

  enter(id: string, call: PastCall): void {
    this.#history.push({ id, before: this.#calls.get(id) });
    this.#calls.set(id, call);
  }

  rollBack(mark: number): void {
    while (this.#history.length > mark) {
      const { id, before } = this.#history.pop()!;
      if (before) this.#calls.set(id, before);
      else this.#calls.delete(id);
    }
  }
}
