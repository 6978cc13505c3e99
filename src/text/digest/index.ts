export { DigestIndex, type Entry, type Voice } from './digest-index.js';
export { drawDigest, isDigest, type Digest, type DigestRequest } from './draw.js';
export { stubFor, isStub, type StubFacts } from './stub.js';
export { cutText, isCut, type Count, type CutRequest } from './cut.js';
export { cutArguments, levelFor } from './arguments.js';
export { fitText } from './fit.js';
export { keyLines, type KeyLineOptions } from './key-lines.js';
export { withoutHeads } from './heads.js';
export { withoutTemplateMarks } from './template-marks.js';
