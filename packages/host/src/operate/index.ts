export { bytesIn, isInside, newestSnapshot } from './data-folder.ts';
export {
  chainConnectionsFor,
  descriptorLimit,
  lowerPriority,
  lowerThreadPriority,
  publicConnectionsFor,
  stopLogger,
  watchParent,
} from './process.ts';
export { hostText } from '../ports/check-ports.ts';
