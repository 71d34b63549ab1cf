export { figureOf, type Figure, type Reach } from './figure.js';
