/**
 * Sentences of the command line: the embedded database, the start of the product, backups, and the npm scripts. Each is one
 * line for the operator: what is wrong, and what to do.
 */

const intact = 'Данные не изменены';
const untouched = 'Ничего не изменено: верните папку из резервной копии или укажите другой DATA_DIR.';
/** Quotes a path for a shell command. */
const word = (path: string) => (/^[\w./@%+,:=-]+$/.test(path) ? path : `'${path.replaceAll("'", `'\\''`)}'`);
/** Ways to give a command the passphrase of a backup. An argument would stay in the shell history. */
const passphraseWays =
  'запустите команду в терминале, она спросит, или, в оболочке root, дайте фразу из файла: BACKUP_PASSPHRASE=$(cat ФАЙЛ)';
const newerBackup = 'Копию сделала более новая версия «Пропуска»: восстановите её той же версией';

/** Causes of file system errors, by error code. */
const fileErrors: Readonly<Record<string, string>> = {
  EACCES: 'не хватает прав',
  EPERM: 'не хватает прав',
  EROFS: 'диск доступен только для чтения',
  ENOSPC: 'на диске не осталось места',
  EDQUOT: 'исчерпана дисковая квота',
  ENOTDIR: 'на месте папки лежит файл',
  EEXIST: 'на месте папки лежит файл',
  ENOENT: 'файл или папка не найдены',
  EBUSY: 'папка занята (возможно, это точка монтирования)',
  EMFILE: 'открыто слишком много файлов',
};

/** Names of failed file operations; `fileError` appends the cause. */
export const fileActions = {
  copyPrograms: (folder: string) => `Не удалось скопировать программы PostgreSQL в ${folder}`,
  createLink: (link: string) => `Не удалось создать ссылку ${link}`,
  createDatabase: (folder: string) => `Не удалось создать базу данных в ${folder}`,
  readDatabaseFolder: (folder: string) => `Не удалось прочитать папку базы данных ${folder}`,
  createDatabaseFolder: (folder: string) => `Не удалось создать папку базы данных ${folder}`,
  createFolder: (folder: string) => `Не удалось создать папку ${folder}`,
  read: (path: string) => `Не удалось прочитать ${path}`,
  write: (path: string) => `Не удалось записать ${path}`,
  open: (path: string) => `Не удалось открыть ${path}`,
  openLog: (path: string) => `Не удалось открыть журнал ${path}`,
  lockDataDir: (folder: string) => `Не удалось занять папку данных ${folder}`,
  createDataDir: (folder: string) => `Не удалось создать папку данных ${folder} (DATA_DIR)`,
  writeDataDir: (folder: string) => `Не удалось записать в папку данных ${folder}`,
  writeLock: (folder: string) => `Не удалось записать в папку данных ${folder} (DATA_DIR)`,
  readDataDir: (folder: string) => `Не удалось прочитать папку данных ${folder}`,
  createSocketFolder: () => 'Не удалось создать папку сокета в /tmp',
  startPostgres: () => 'Встроенный PostgreSQL не запустился',
  askDatabase: () => 'База данных не отвечает',
};

/** The embedded PostgreSQL. */
export const databasePhrases = {
  fileError: (action: string, code: string, message: string) => `${action}: ${fileErrors[code] ?? message}.`,

  // The system user and the PostgreSQL programs.
  cannotChangeUser: (uid: number) =>
    `PostgreSQL от root не работает, а сменить пользователя на ${uid} здесь нельзя: ` +
    'запустите Пропуск от обычного пользователя или укажите DATABASE_URL.',
  namelessUser: (uid: number) =>
    `У пользователя с номером ${uid} нет записи в /etc/passwd, без неё PostgreSQL не работает: ` +
    'добавьте пользователя или укажите DATABASE_URL.',
  copyingPrograms: (from: string, user: string, to: string) =>
    `Программы PostgreSQL в ${from} недоступны пользователю ${user} или неполны: копируются в ${to}.`,
  programsDoNotRun: (copy: string) =>
    'Встроенный PostgreSQL не запускается на этой системе (нужен Linux с glibc и каталог без noexec): ' +
    `укажите DATABASE_URL или удалите ${copy} и повторите.`,
  noPackage: (platform: string, name: string) =>
    `Встроенного PostgreSQL для ${platform} нет (пакет ${name} не установлен): ` +
    'повторите npm install или укажите DATABASE_URL.',

  // The data folder and the folder of the database.
  alreadyRunning: (folder: string, pid: number | undefined) =>
    `Пропуск уже запущен на папке данных ${folder}${pid === undefined ? '' : ` (процесс ${pid})`}: остановите его (службу: systemctl stop propusk propusk-gateway) или укажите другой DATA_DIR.`,
  databaseIn: (home: string) => `База данных этой папки лежит в ${home}.`,
  databaseMoves: (user: string, base: string, home: string) =>
    `PostgreSQL от root не работает, а пользователь ${user} не может войти в ${base}: ` +
    `база данных будет лежать в ${home}.`,
  fileInPlace: (folder: string) => `На месте папки базы данных ${folder} лежит файл: уберите его.`,
  ownerNumber: (uid: number) => `№ ${uid}`,
  otherOwner: (folder: string, owner: string, us: string) =>
    `База данных ${folder} создана пользователем ${owner}, а сейчас запуск от ${us}: ` +
    'запустите Пропуск так же, как раньше, или укажите другой DATA_DIR.',
  ownedByRoot: (cluster: string, nobody: number) =>
    `Папка ${cluster} принадлежит root, а PostgreSQL от root не работает: ` +
    `если это база Пропуска, выполните chown -R ${nobody}:${nobody} ${word(cluster)}.`,
  unreachableFolder: (folder: string, user: string) =>
    `База данных лежит в ${folder}, но пользователь ${user}, от которого она работает, не может туда войти: ` +
    'верните право входа (chmod o+x) папкам на этом пути.',
  databaseLost: (base: string, home: string, record: string) =>
    `База данных папки ${base} лежала в ${home}, но её там нет: верните её на место. ` +
    `Чтобы начать с пустой базой, удалите файл ${record}.`,
  copiedDataDir: (base: string, origin: string, home: string, record: string) =>
    `${base} — копия папки ${origin}, и база данных у них одна (${home}): удалите ` +
    `${record}, чтобы начать с пустой базой, или работайте с ${origin}.`,
  notRootsAlone: (path: string) =>
    `Папка ${path} должна принадлежать root и быть закрыта для записи остальным.`,
  badRecord: (file: string, sharedRoot: string) =>
    `Файл ${file} испорчен: в нём должна быть папка базы данных внутри ${sharedRoot}/data.`,

  // The contents of the database folder.
  creatingDatabase: (cluster: string) => `Создаётся база данных в ${cluster}.`,
  notACluster: (cluster: string) =>
    `В папке ${cluster} лежит что-то, но не база данных (нет PG_VERSION). ${untouched}`,
  otherMajor: (cluster: string, found: string, wanted: string) =>
    `База данных в ${cluster} создана PostgreSQL ${found}, а нужен ${wanted}: перенесите её выгрузкой и загрузкой ` +
    '(pg_dump) или укажите DATABASE_URL на сервер этой версии. Ничего не изменено.',
  notWhole: (cluster: string) =>
    `База данных в ${cluster} повреждена (PG_VERSION или global/pg_control). ${untouched}`,

  // A PostgreSQL server that already runs.
  openedHere: (cluster: string) => `База данных ${cluster} уже открыта этим процессом.`,
  foreignServer: (cluster: string, pid: number) =>
    `С базой ${cluster} уже работает PostgreSQL, запущенный не Пропуском (процесс ${pid}): ` +
    'остановите его и запустите снова.',
  staleServerStuck: (cluster: string, pids: readonly number[]) =>
    `PostgreSQL прошлого запуска в ${cluster} не останавливается (процессы ${pids.join(', ')}): ` +
    'остановите их и запустите снова.',

  // A PostgreSQL server that does not start.
  diskFull: (home: string) =>
    `На диске с ${home} не осталось места: освободите его и запустите снова. ${intact}.`,
  wrongOwnership: (cluster: string, user: string, uid: number) =>
    `У папки ${cluster} не те права или владелец: нужны владелец ${user} (${uid}) и права 0700. ${intact}.`,
  permissionDenied: (user: string, line: string, cluster: string) =>
    `Пользователю ${user} не хватает прав. PostgreSQL пишет: «${line}». Дайте ему доступ к этому файлу или папке; ` +
    `папка базы ${cluster} должна принадлежать ему. ${intact}.`,
  readOnlyDisk: (home: string) =>
    `Диск с ${home} доступен только для чтения: подключите его для записи или укажите другой DATA_DIR.`,
  otherPostmaster: (cluster: string, pidFile: string) =>
    `С базой ${cluster} работает другой PostgreSQL, или так говорит её файл postmaster.pid: остановите его, ` +
    `а если такого процесса точно нет, удалите ${pidFile}. ${intact}.`,
  noMemory: () => 'Встроенному PostgreSQL не хватило памяти: ему нужно около 300 МБ (и /dev/shm для записи).',
  noLocale: () =>
    'В системе нет локали C.UTF-8, нужной встроенному PostgreSQL: установите её или укажите DATABASE_URL.',
  clusterDamaged: (cluster: string) =>
    `База данных в ${cluster} повреждена: верните её из резервной копии или укажите другой DATA_DIR. ${intact}.`,
  notStarted: (lastLine: string, log: string) =>
    `Встроенный PostgreSQL не запустился: ${lastLine || 'он ничего не сказал'}. Подробности в ${log}.`,
  recovering: () => 'PostgreSQL восстанавливает базу данных после сбоя: подождите.',
  rebuildingIndexes: () => 'Правила сортировки PostgreSQL обновились: индексы базы данных перестраиваются.',
  silent: () => 'Встроенный PostgreSQL запущен, но не отвечает: посмотрите postgres.log в папке данных.',

  // A running database.
  reserveReleased: () =>
    'Место на диске с базой данных закончилось: запас отдан, доступ можно отзывать, добавлять нельзя. Освободите место.',
  stillStarting: () => 'База данных ещё запускается: повторите через минуту.',
  accessDenied: () =>
    'База данных не пускает: повторите от того же пользователя, от которого работает Пропуск.',
  noDatabase: (dataDir: string) =>
    `В папке ${dataDir} нет базы данных: укажите те же DATA_DIR и DATABASE_URL, с которыми работает Пропуск.`,
};

const makesAdmin = (link: string) =>
  `  Администратора ещё нет. Ссылка, по которой его создают (1 час, 1 раз):\n  ${link}\n`;

/** `npm start` and the builds before it. */
export const supervisorPhrases = {
  buildingConsole: () => 'Собираю консоль…',
  consoleNotBuilt: (output: string) => `Консоль не собралась:\n${output}`,
  buildingExtension: () => 'Собираю расширение…',
  extensionNotBuilt: (output: string) => `Расширение не собралось:\n${output}`,
  extensionBuilt: () => 'Расширение собрано: apps/extension/dist/propusk-chromium.zip и propusk-firefox.zip',
  startInterrupted: () => 'Запуск прерван',
  databaseStopped: () => 'База данных остановилась, открываю снова…',
  processEnded: (module: string, reason: string | number | null) => `Процесс ${module} завершился: ${reason}`,
  processRestarts: (name: string, reason: string | number | null) =>
    `Процесс ${name} завершился (${reason}), запускаю снова`,
  running: (consoleUrl: string, gatewayUrl: string, dataDir: string, adminLink: string | null) => `
  Консоль   ${consoleUrl}
  Шлюз      ${gatewayUrl}
  Данные    ${dataDir}
${adminLink === null ? '' : `\n${makesAdmin(adminLink)}`}
  Остановить: Ctrl-C
`,
  adminLink: makesAdmin,
  noAdminLink: (reason: string) =>
    `Ссылка для администратора не получилась, остальное работает. Она будет при следующем запуске. Причина: ${reason}`,
  stopping: () => 'Останавливаюсь: текущие запросы завершаются…',
  otherSecret: (name: string) => `В окружении другой ${name}, чем в копии: уберите его или укажите прежний`,
  secretLost: (path: string, name: string) =>
    `Нет файла ${path}, а база уже создана с ним: верните его или укажите ${name}`,
  secretDamaged: (path: string) => `Файл ${path} повреждён: верните его из резервной копии`,
};

/** `npm run backup` and `npm run restore`. */
export const backupPhrases = {
  fileArgument: (command: string) => `Укажите файл копии: npm run ${command} -- ФАЙЛ`,
  fileExists: (path: string) => `Файл ${path} уже есть: укажите другое имя`,
  leftover: (path: string) =>
    `Файл ${path} остался от прерванной копии, или её делают сейчас: если нет, удалите его и повторите`,
  fileNotCreated: (path: string, code: string | undefined) =>
    `Файл ${path} не создаётся (${code}): проверьте папку и права`,
  fileMissing: (path: string) => `Файла ${path} нет: проверьте путь`,
  fileNotOpened: (path: string, code: string | undefined) =>
    `Файл ${path} не открывается (${code}): проверьте права`,
  notAFile: (path: string) => `${path} — не файл: укажите файл копии`,
  diskFull: (path: string) => `На диске не хватило места для ${path}: освободите его и повторите`,
  withoutRecords: () => 'Записей о доступе в копии нет: статистика и журнал доступа начнутся заново',
  done: (path: string, rows: number) =>
    `Копия готова: ${path}, строк: ${rows}. Без фразы её не открыть никому, и вам тоже`,

  databaseSilent: (reason: string) => `База данных не отвечает (${reason}): проверьте DATABASE_URL`,
  databaseDenies: (reason: string) => `База данных не пускает (${reason}): проверьте DATABASE_URL`,
  databaseMigrating: () => 'База данных сейчас обновляется: повторите через минуту',
  databaseWithoutProduct: () =>
    'В базе данных нет «Пропуска»: проверьте DATA_DIR и DATABASE_URL, или запустите его хоть раз',
  databaseNotEmpty: () =>
    'В базе данных уже есть таблицы: восстановить копию можно только в пустую. Создайте новую и укажите её в DATABASE_URL',
  wrongKey: () =>
    'Ключ SECRET_KEY не подходит к этой базе данных: укажите те же DATA_DIR, DATABASE_URL и SECRET_KEY, с которыми работает «Пропуск»',

  notABackup: () => 'Это не копия «Пропуска»: укажите файл, который сделала команда backup',
  newerFormat: () => newerBackup,
  newerSchema: () => newerBackup,
  damaged: (part: string) => `Файл копии повреждён (${part}): возьмите другую копию. Ничего не изменено`,

  noPassphrase: () => `Нет фразы для копии: ${passphraseWays}`,
  askPassphrase: () => 'Фраза копии: ',
  askNewPassphrase: (shortest: number) => `Придумайте фразу для копии, не меньше ${shortest} знаков: `,
  askAgain: () => 'Ещё раз: ',
  passphrasesDiffer: () => 'Фразы не совпали: повторите команду',
  passphraseShort: (shortest: number) =>
    `Фраза короче ${shortest} знаков: без неё копию не открыть, но и подобрать её не должны`,
  wrongPassphrase: () =>
    `Фраза не подходит к этой копии, и ничего не изменено. Нужна та, с которой копия сделана: ${passphraseWays}`,
  passphraseOfBackup: () => 'Фраза не подходит к этой копии. Введите ту, с которой копия сделана: ',
  nextPassphrase: (phrase: string) =>
    `Следующие копии закроет другая фраза, этого сервера. Запишите её отдельно от него:\n  ${phrase}`,
  interrupted: () => 'Прервано',

  restored: (created: string, dataDir: string) =>
    `Копия от ${created} восстановлена в ${dataDir}. Запустите «Пропуск»: всем нужно войти заново`,
  restoreFailed: (reason: string, dataDir: string) =>
    `${reason}. Восстановление не завершено. Удалите папку и повторите: rm -r ${word(dataDir)}`,
  restoreInterrupted: (dataDir: string) =>
    `Восстановление копии в ${dataDir} прервалось: удалите эту папку (rm -r ${word(dataDir)}; с DATABASE_URL создайте и базу данных заново) и повторите восстановление.`,
  folderNotEmpty: (dataDir: string, found: string | undefined) =>
    `В папке ${dataDir} ${found === undefined ? 'уже есть база данных' : `не пусто (${found})`}: восстановить копию можно только в пустую. Уберите эту и повторите: mv -T ${word(dataDir)} ${word(`${dataDir}.old`)}`,
};

/** The command `propusk` of the Debian package. */
export const packagedPhrases = {
  databaseNeeded: () => 'База данных не запущена: запустите systemctl start propusk и повторите',
  terminalOnly: () => 'Ссылку показывают только в терминале: её не должно быть в журналах',
  adminThere: () =>
    'Администратор уже есть. Ссылка для нового пароля: propusk setup ДОМЕН ЕГО_ПОЧТА --invite',
  noLiveMail: () => 'Писем с действующими ссылками нет',
  quoteValue: (path: string, name: string) =>
    `В ${path} у ${name} знак # без кавычек: заключите всё значение в двойные кавычки, а примечание вынесите на свою строку`,
  unknownSettings: (path: string, names: readonly string[]) =>
    `В ${path} есть имена, которых нет среди настроек: ${names.join(', ')}. Они не действуют: проверьте, как они написаны`,
  allQuotes: (name: string) => `В значении ${name} кавычки всех трёх видов: уберите один из них`,
  fixedSetting: (path: string, name: string) =>
    `${name} не задают в ${path}: в пакете данные лежат в /var/lib/propusk, а фраза копий в /etc/propusk/backup-passphrase. Уберите эту строку`,
};

/** `propusk extension`, which signs the browser extension for one organisation. */
export const signingPhrases = {
  httpsOnly: (url: string) =>
    `Браузеры обновляют расширение только по https и по имени, а адрес консоли ${url}: задайте PUBLIC_URL вида https://pass.example.ru`,
  noBuild: (path: string) =>
    `Файла ${path} нет, или он повреждён: установите пакет «Пропуска» заново (из исходного кода: npm run build:extension)`,
  damaged: (path: string) =>
    `Прежняя сборка ${path} повреждена, сверить с ней версию и ключ нельзя: верните её из копии или удалите`,
  lowerVersion: (version: string, than: string, folder: string) =>
    `Версия ${version} ниже прежней ${than}, браузеры её не поставят. Файлы в ${folder} остались прежними: сначала обновите «Пропуск»`,
  otherKey: (keyFile: string, folder: string) =>
    `Сборки в ${folder} подписаны другим ключом, обновление с новым браузеры не примут: верните прежний ключ в ${keyFile}. Если его больше нет, удалите ${folder}, повторите и поставьте расширение всем заново`,
  keyExposed: (path: string) =>
    `Ключ ${path} доступен другим пользователям сервера: сделайте его файлом root (chown root:root ${path}; chmod 600 ${path})`,
  keyUnfit: (path: string) => `В ${path} нет ключа RSA от 2048 бит в формате PEM: верните прежний файл`,
  signed: (built: { version: string; chromiumId: string; firefoxId: string; base: string }) => `
  Версия       ${built.version}
  Chromium     ${built.chromiumId}  ${built.base}updates.xml
  Firefox      ${built.firefoxId}  ${built.base}propusk.xpi

  Идентификаторы и адреса нужны политике браузеров: docs/extension.md
`,
  signFirst: () => 'Подписанных сборок ещё нет: сначала выполните propusk extension без файла',
  noXpi: (path: string) =>
    `В ${path} нет сборки с подписью Mozilla: укажите .xpi, который сделала команда web-ext sign (docs/extension.md). Ничего не изменено`,
  otherXpi: (path: string, found: string, built: { version: string; firefoxId: string; base: string }) =>
    `В ${path} сборка ${found}, а нужна ${built.firefoxId} ${built.version}: подпишите в Mozilla архив ${built.base}propusk-firefox.zip. Ничего не изменено`,
  mozillaStays: (built: { version: string; xpiVersion: string; base: string }) =>
    `Для Firefox остаётся сборка ${built.xpiVersion} с подписью Mozilla. Чтобы раздавать ${built.version}, подпишите в Mozilla ${built.base}propusk-firefox.zip и выполните propusk extension ФАЙЛ.xpi`,
  keepKey: (keyFile: string) =>
    `Сохраните ${keyFile} отдельно от сервера: фразы для копий нет, поэтому в резервных копиях его нет, а без него расширение не обновить`,
  unsealing: (keyFile: string, sealed: string) =>
    `Ключа ${keyFile} нет, возвращаю его из ${sealed}. Нужна фраза той копии, из которой он восстановлен`,
  otherSealed: (keyFile: string, sealed: string, folder: string) =>
    `В ${keyFile} не тот ключ, что закрыт в ${sealed}. Чтобы у расширения остался идентификатор из резервной копии, уберите ${keyFile} и папку ${folder}; чтобы новый, уберите ${sealed}. Затем повторите`,
  sealLeftOut: (sealed: string) =>
    `В копии нет ключа расширения: ${sealed} не читается, повреждён или закрыт другой фразой. Закрыть ключ заново: propusk extension`,
};

/** The replacement of the gateway's process without cutting connections. */
export const gatewayPhrases = {
  notRunning: () => 'Шлюз не запущен: systemctl start propusk-gateway',
  busy: () => 'Шлюз ещё сменяет процесс, или прежние ждут конца своих соединений: повторите позже',
  notReplaced: () =>
    'Новый процесс шлюза не заработал, поэтому работает прежний. Причина: journalctl -u propusk-gateway',
  noControl: (path: string, reason: string) =>
    `Сменить процесс шлюза без обрыва соединений не получится: ${path} не создаётся (${reason}). Остальное работает`,
};

/** `npm run package`. */
export const packagePhrases = {
  platform: (known: readonly string[]) => `Укажите архитектуру: ${known.join(' или ')}`,
  noProgram: () => 'Нет программы dpkg-deb: соберите пакет на Debian или Ubuntu',
  installing: (arch: string) => `Ставлю зависимости для ${arch} по package-lock.json…`,
  notInstalled: (output: string) => `Зависимости не установились: проверьте сеть и повторите.\n${output}`,
  staging: (folder: string) => `Раскладываю файлы в ${folder}…`,
  packing: () => 'Упаковываю…',
  notPacked: (output: string) => `Пакет не собрался:\n${output}`,
  notOneLine: (name: string) => `В ${name} есть перевод строки или другой управляющий знак: уберите его`,
  notReleased: (refusals: readonly string[]) =>
    `Выпуск не собран, ничего не записано. ${refusals.join('. ')}`,
  dirty: (status: string) =>
    `Файлы отличаются от последнего коммита, сделайте новый или уберите их: ${status.trim().split('\n').slice(0, 5).join(', ')}`,
  noNotes: (version: string) =>
    `В CHANGELOG.md нет раздела «## ${version}», или он пуст: опишите в нём изменения`,
  unreleased: (version: string) =>
    `Раздел ${version} в CHANGELOG.md помечен «unreleased»: поставьте вместо этого дату`,
  noContacts: (names: readonly string[]) =>
    `Задайте ${names.join(', ')}: контакты выпуска не бывают заглушками`,
  noGpg: () => 'Нет программы gpg: установите её или соберите без подписи (уберите DEB_SIGN_KEYID)',
  notSigned: (output: string) => `Подписать ключом из DEB_SIGN_KEYID не получилось: ${output}`,
  released: (folder: string, fingerprint: string | undefined) => `
  Выпуск       ${folder}
  Подпись      ${fingerprint === undefined ? 'нет: задайте ключ в DEB_SIGN_KEYID' : `ключ ${fingerprint}`}
`,
  noTime: () => 'Нет времени последнего коммита: соберите из копии git или укажите SOURCE_DATE_EPOCH',
  packed: (made: { path: string; bytes: number; unpacked: number; sha256: string }) => `
  Пакет        ${made.path}
  Размер       ${mib(made.bytes)} МиБ, на диске ${mib(made.unpacked)} МиБ
  SHA-256      ${made.sha256}

  Установить: apt install ${made.path}
`,
};

const mib = (bytes: number) => (bytes / 2 ** 20).toFixed(1);

/** The part of a backup file that is damaged. */
export const backupParts = {
  firstLine: () => 'первая строка',
  contents: () => 'содержание',
  changed: () => 'файл изменился',
  frameOrder: () => 'порядок частей',
  trailingBytes: () => 'лишнее в конце',
  truncated: () => 'он обрезан',
  frame: (number: bigint) => `часть ${number}`,
  frameLength: () => 'длина части',
  checksum: () => 'контрольная сумма',
  key: () => 'ключ',
  tableRows: (table: string) => `строки таблицы ${table}`,
  tableOrder: () => 'порядок таблиц',
};

/** The scripts of the repository. */
export const scriptPhrases = {
  built: () => 'Собрано: консоль и расширение. Дальше: npm start, npm run api или npm run gateway',
  programsMissing: (names: readonly string[], command: string) =>
    `Не хватает программ: ${names.join(', ')}. Установите их: ${command}`,
  installingPrograms: (names: readonly string[]) => `Устанавливаю из Debian: ${names.join(', ')}…`,
  sitesNotServed: (reason: string) => `Сайты не откроются. ${reason}`,
  fillingDemo: () => 'Наполняю примером…',
  demoRunning: (demo: {
    consoleUrl: string;
    password: string;
    owners: readonly string[];
    agent: string;
    admin: string;
    site: string;
    port: number;
    proxy: string;
  }) => `
  Консоль        ${demo.consoleUrl}
  Пароль у всех  ${demo.password}

  Владельцы      ${demo.owners.join('\n                 ')}
  Агент          ${demo.agent}
  Администратор  ${demo.admin}

  Сайт под замком: напрямую отвечает 403, через шлюз 200
  curl -i --resolve ${demo.site}:${demo.port}:127.0.0.1 http://${demo.site}:${demo.port}/
  curl -i -x ${demo.proxy} http://${demo.site}:${demo.port}/

  Остановить: Ctrl-C. Данные примера исчезнут
`,
  devRunning: (consoleUrl: string, gatewayUrl: string) =>
    `\n  Консоль   ${consoleUrl}\n  Шлюз      ${gatewayUrl}\n\n  Остановить: Ctrl-C\n`,
  viteEnded: () => 'Vite завершился',
  noThreat: (wanted: string | undefined, threats: readonly string[]) =>
    `Нет строки «${wanted}». Есть: ${threats.join(', ')}`,
  noBenchRow: (names: readonly string[]) => `Нет такой строки. Есть: ${names.join(', ')}`,
  protectedPage: (name: string) =>
    `<p>Это защищённый сайт <b>${name}</b>. Вы видите его, потому что запрос пришёл через «Пропуск».</p>`,
};
