/** What every wire format needs that holds its messages in one list: reading only what is new in it. */
export { readsLists, type OpenedList, type ParsedPiece, type PieceParser } from './list-reader.js';
