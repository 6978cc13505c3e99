/** Texts that only this format's requests need. They are sent to models: plain, labelled, and final. */

/** Between two turns of the assistant that may not become one. */
export const GOES_ON = '[The conversation goes on.]';

/** Requests end with the user's turn. */
export const CONTINUE = '[Continue.]';

export const NOTHING_SAID = '[Nothing was said yet.]';
