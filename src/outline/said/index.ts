export { bindingOf } from './binding.js';
export { bearingOf, keysOf, type Bearing } from './bearing.js';
export { overrules } from './overrules.js';
export { withoutOwnText } from './own-text.js';
export { withoutPrograms } from './program-lines.js';
export { sentencesOf } from './sentences.js';
