const KEY = 'second_factor_later';
const DAYS = 30;

/** Until when which user of this browser snoozed the advice: `id:milliseconds since 1970`. */
export const factorSnooze = {
  isPut: (userId: number, now = Date.now()): boolean => {
    const [id, until] = (localStorage.getItem(KEY) ?? '').split(':').map(Number);
    return id === userId && until !== undefined && until > now;
  },
  put: (userId: number, now = Date.now()): void =>
    localStorage.setItem(KEY, `${userId}:${now + DAYS * 86_400_000}`),
};
