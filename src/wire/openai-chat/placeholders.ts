/** Texts that only this format's requests need. They are sent to models: plain, labelled, and final. */

/** Between the result of a tool and the user's next words, where the assistant said nothing. */
export const NOTHING_SAID = '[No answer was given here.]';

/** Before instructions of a conversation that began without any. */
export const MIDWAY = '[instructions given at this point]';
