import { expose } from 'comlink';
import { Engine } from './engine.js';

expose(new Engine());
