/** A list that is none of what a context may become: which rule it breaks, and at which message. */
export class IllegalList extends Error {
  constructor(whose: string, what: string) {
    super(`${whose} ${what}`);
    this.name = 'IllegalList';
  }
}
