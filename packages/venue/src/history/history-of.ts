import type { Asker, History } from './history.ts';

/** The same history, asked for one client. */
export function historyOf(history: History, asker: Asker): History {
  return {
    get asOf() {
      return history.asOf;
    },
    ask: (topic, question, options) => history.ask(topic, question, { ...options, asker }),
    watch: (user, table, watcher) => history.watch(user, table, watcher),
  };
}
