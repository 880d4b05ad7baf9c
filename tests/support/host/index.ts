export { inDirectory } from './in-directory.ts';
export { listen } from './listen.ts';
export { freePorts } from './free-ports.ts';
export { patienceMs } from './patience-ms.ts';
