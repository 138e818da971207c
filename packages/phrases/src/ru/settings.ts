/** What the gateway's settings take. */
export const gatewaySettingValues = {
  secret: 'не меньше 32 случайных символов',
  dataDir: 'папка для данных',
  snapshotMaxAge:
    'сервер подтверждает права раз в 15 секунд: с меньшим сроком шлюз отказывал бы всем и при исправном сервере',
  tlsCert: 'путь к файлу PEM с сертификатом и его цепочкой',
  tlsKey: 'путь к файлу PEM с ключом сертификата',
  metricsPort: 'порт от 0 до 65535 на 127.0.0.1 для /health и /metrics',
  logLevel: 'fatal, error, warn, info, debug, trace или silent',
};
