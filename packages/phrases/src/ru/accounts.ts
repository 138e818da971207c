/** Names that the server stores with an account or hands to an authenticator app. */
export const accountNames = {
  /** The issuer that an authenticator app shows (RFC 6238 apps read it from the `otpauth:` address). */
  issuer: 'Пропуск',
  firstAdmin: 'Администратор',
  yandexBrowser: 'Яндекс Браузер',
};
