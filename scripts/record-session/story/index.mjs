import { explore } from './1-explore.mjs';
import { build } from './2-build.mjs';
import { rework } from './3-rework.mjs';
import { finish } from './4-finish.mjs';

/** An agent adds `spillway gauge`; half-way through, its user changes the task. */
export const story = [...explore, ...build, ...rework, ...finish];
