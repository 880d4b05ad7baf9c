/** What a program asks of the machine and of who started it. */
export { bytesIn, newestSnapshot } from './data-folder.ts';
export { chainConnectionsFor, descriptorLimit, publicConnectionsFor } from './descriptors.ts';
export { hostText } from './host-text.ts';
export { isInside } from './is-inside.ts';
export { stopLogger } from './stop-logger.ts';
export { watchParent } from './watch-parent.ts';
export { lowerPriority, lowerThreadPriority } from './priority.ts';
