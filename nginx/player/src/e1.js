// E-v1.js: turns our embed codes into players. Any page may load it, any number of times, before or
// after its embed codes.
import { begin } from './loader.js';

begin();
