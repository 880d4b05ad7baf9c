import { useStore } from 'zustand';
import { sessionStore, type Session } from './session.ts';

/** Who acts here; undefined for a visitor. */
export function useSession(): Session | undefined {
  return useStore(sessionStore, ({ session }) => session);
}

/** False until the page knows whether the browser keeps an account. */
export function useIsSessionLoaded(): boolean {
  return useStore(sessionStore, ({ isLoaded }) => isLoaded);
}
