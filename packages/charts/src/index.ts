export { threadCharts, type ClosableCharts } from './thread-charts.js';
