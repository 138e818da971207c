const KEY = 'checkOnboarding';

/** Whether this browser has seen the onboarding, kept where the spec says: localStorage `checkOnboarding`. */
export const onboarded = {
  read: (): boolean => localStorage.getItem(KEY) === 'true',
  store: (): void => localStorage.setItem(KEY, 'true'),
};
