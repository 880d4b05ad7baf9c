/** What a program asks of the machine and of who started it. */
export { bytesIn, newestSnapshot } from './data-folder.ts';
export { chainConnectionsFor, descriptorLimit, publicConnectionsFor } from './descriptors.ts';
export { hostText } from './host-text.ts';
export { watchParent } from './parent-watch.ts';
export { lowerPriority, lowerThreadPriority } from './priority.ts';
