import type { Texts } from './texts.js';

export const de: Texts = {
  connectAccount: 'Ein Konto verbinden',
  asksWhere: '{who} möchte für {profile} auf eines deiner Konten zugreifen. Wähle die Plattform.',
  connectPlatform: '{platform} verbinden',
  connectPlatformAgain: '{platform} erneut verbinden',
  asksToUse: '{who} möchte für {profile} auf dein Konto bei {platform} zugreifen.',
  asksToUseAgain: '{who} möchte für {profile} erneut auf dasselbe Konto bei {platform} zugreifen.',
  whatItMayDo: 'Was {who} dann darf',
  inItsOwnWords: 'Berechtigungen, wie {platform} sie nennt',

  seeAccount: 'Name, Benutzername und Profilbild des Kontos sehen',
  seeStore: 'Name und Adresse des Shops sehen',
  publish: 'Beiträge veröffentlichen',
  publishAndDelete: 'Beiträge veröffentlichen und die so veröffentlichten Beiträge löschen',
  readPosts: 'Die Beiträge des Kontos lesen, damit nichts doppelt erscheint',
  readAllNumbers:
    'Lesen, wie viele Menschen die Beiträge sehen, mögen und teilen und wie viele dem Konto folgen',
  readPostNumbers: 'Lesen, wie viele Menschen die Beiträge sehen, mögen und teilen',
  readAccountNumbers: 'Lesen, wie viele Menschen dem Konto folgen',
  readOrders: 'Bestellungen lesen, mit Namen, E-Mail- und Postadressen der Kundschaft',
  refundOrders: 'Bestellungen erstatten: Geld geht an deine Kundschaft zurück',
  shortPublish: 'Beiträge veröffentlichen',
  shortNumbers: 'Kennzahlen lesen',
  shortOrders: 'Bestellungen lesen',
  shortRefunds: 'Geld erstatten',
  shortName: 'den Namen sehen',
  sandboxNote: 'Testumgebung, keine echten Daten.',

  continueTo: 'Weiter zu {platform}',
  connect: 'Verbinden',
  otherWay: 'Stattdessen mit Schlüssel oder Passwort',
  signInThere: 'Du meldest dich bei {platform} an und stimmst dort zu. Nur {platform} erhält dein Passwort.',
  otherPlatform: 'Eine andere Plattform wählen',
  cancel: 'Abbrechen',
  optional: 'optional',
  worksUntil: 'Dieser Link gilt bis {time}.',
  errorTitle: 'Fehler: {title}',
  didNotWork: 'Verbindung fehlgeschlagen.',
  platformSays: 'Meldung von {platform}:',
  fillIn: 'Dieses Feld ist erforderlich.',
  answerWrong: 'Diese Eingabe ist ungültig. Prüfe sie und versuche es noch einmal.',
  notConfigured:
    'Diese Plattform ist hier nicht vollständig eingerichtet. Wende dich an die Person, von der du den Link hast.',
  notReached: 'Der Server ist nicht erreichbar. Prüfe den Namen oder versuche es gleich noch einmal.',
  addressRefused: 'Dieser Dienst darf keine Verbindung zu dieser Adresse herstellen. Prüfe die Adresse.',
  notHere: 'Diese Plattform lässt sich hier nicht verbinden.',
  wentWrong: 'Ein Fehler ist aufgetreten. Versuche es gleich noch einmal.',

  handleLabel: 'Benutzername',
  handleHint: 'Dein Name bei {platform}, ohne das @.',
  handleWrong: 'Unter diesem Namen wurde kein Konto gefunden. Prüfe die Schreibweise.',
  instanceLabel: 'Server',
  instanceHint: 'Name oder Adresse des Servers, auf dem dein Konto liegt.',
  instanceWrong: 'Unter dieser Adresse wurde kein Server gefunden. Prüfe die Schreibweise.',
  shopLabel: 'Shop-Domain',
  shopHint: 'So wie sie in der Adresse deiner Shop-Verwaltung steht.',
  shopWrong: 'Unter dieser Adresse wurde kein Shop gefunden. Prüfe die Schreibweise.',
  storeUrlLabel: 'Adresse des Shops',
  storeUrlHint: 'So wie deine Kundschaft ihn öffnet, beginnend mit https://.',
  storeUrlWrong: 'Unter dieser Adresse wurde kein Shop gefunden. Prüfe die Adresse.',
  urlLabel: 'Adresse des Servers',
  urlHint: 'Nur wenn dein Konto auf einem eigenen Server liegt.',
  urlWrong: 'Diese Adresse ist ungültig. Sie muss mit https:// beginnen.',
  keyLabel: 'Schlüssel',
  keyHint: 'Wird in den Einstellungen von {platform} erstellt.',
  keyWrong:
    'Dieser Schlüssel wurde nicht akzeptiert. Kopiere ihn noch einmal, vom ersten bis zum letzten Zeichen.',
  passwordLabel: 'App-Passwort oder Geheimnis',
  passwordHint:
    'Wird dafür in den Einstellungen von {platform} erstellt. Gib niemals dein eigenes Passwort ein.',
  passwordWrong:
    'Die Eingabe wurde nicht akzeptiert. Kopiere sie noch einmal oder erstelle ein neues Passwort.',
  textWrong: 'Dieser Wert ist ungültig.',

  whichAccounts: 'Welche Konten?',
  opensSeveral:
    'Deine Anmeldung bei {platform} gibt Zugriff auf mehrere Konten. {who} erhält nur Zugriff auf die Konten, die du für {profile} auswählst.',
  accountsAt: 'Konten bei {platform}',
  connectChosen: 'Ausgewählte Konten verbinden',
  noneOfThese: 'Keines davon',
  connectedAlready: 'Schon verbunden',
  chooseOne: 'Wähle mindestens ein Konto.',
  chooseAtMost: 'Wähle höchstens {count}.',

  connected: 'Verbunden',
  notConnected: 'Nicht verbunden',
  canUseThis: '{who} kann jetzt Folgendes für {profile} verwenden:',
  done: 'Fertig',
  connectAnother: 'Ein weiteres Konto verbinden',
  tryAgain: 'Noch einmal versuchen',

  alreadyConnected: 'Schon verbunden',
  canUseNow: '{who} kann das Konto jetzt für {profile} verwenden.',
  linkDidItsWork:
    'Dieser Link wurde bereits verwendet: Das Konto ist für {profile} verbunden. Ein Link kann nur einmal verwendet werden.',
  cancelled: 'Abgebrochen',
  nothingConnected: 'Es wurde nichts verbunden.',
  linkWasCancelled: 'Dieser Link wurde abgebrochen, und es wurde nichts verbunden.',
  changeYourMind: 'Wenn du es dir anders überlegst, fordere einen neuen Link an.',
  expired: 'Dieser Link ist abgelaufen',
  expiredWhy:
    'Aus Sicherheitsgründen gilt ein Link nur für begrenzte Zeit. Fordere einen neuen an, wo du diesen bekommen hast.',
  denied: 'Du hast bei der Plattform nicht zugestimmt. Es wurde nichts verbunden und kein Zugriff gewährt.',
  wrongAccount: 'Du hast dich mit einem anderen Konto angemeldet als dem, das erneut verbunden werden soll.',
  rightAccount: 'Melde dich bei der Plattform mit dem richtigen Konto an und verwende dann einen neuen Link.',
  nothingToChoose:
    'Zu dieser Anmeldung gehört kein Konto, das sich verbinden lässt. Versuche eine andere Anmeldung.',
  notFinished:
    'Die Plattform hat die Verbindung nicht abgeschlossen. Warte kurz und versuche es noch einmal.',
  accountUnreadable:
    'Die Plattform hat ein Konto zurückgegeben, das dieser Dienst nicht lesen kann. Ein neuer Versuch hilft nicht. Der Betreiber dieses Dienstes findet den Grund im Protokoll.',
  tookTooLong: 'Die Verbindung wurde nicht rechtzeitig abgeschlossen.',
  askForNewLink: 'Dieser Link ist nicht mehr gültig. Fordere einen neuen an, wo du diesen bekommen hast.',
  closePage: 'Du kannst diese Seite schließen.',
  backTo: 'Zurück zu {who}',

  linkNotValid: 'Dieser Link ist ungültig',
  linkNotValidWhy:
    'Möglicherweise wurde er beim Kopieren abgeschnitten. Öffne ihn noch einmal dort, wo du ihn bekommen hast, oder fordere einen neuen an.',
  nothingWaiting: 'Hier gibt es nichts abzuschließen',
  nothingWaitingWhy:
    'Dieser Schritt ist schon abgeschlossen, wurde in einem anderen Browser begonnen oder wurde nicht rechtzeitig abgeschlossen.',
  nothingWaitingNext: 'Ist dein Konto noch nicht verbunden, öffne deinen Link und beginne von vorn.',
  nothingToConnect: 'Es gibt nichts zu verbinden',
  nothingToConnectWhy:
    'Hier ist zurzeit keine Plattform eingerichtet. Wende dich an die Person, von der du den Link hast.',
  notThrough: 'Das Formular wurde nicht akzeptiert',
  notThroughWhy:
    'Wir konnten nicht prüfen, ob du dieses Formular gesendet hast. Erlaube Cookies für diese Seite und versuche es noch einmal.',
  unreadableForm: 'Das Formular war nicht lesbar.',
  notPossible: 'Das wird nicht unterstützt',
  startOver: 'Öffne deinen Link und beginne von vorn.',
  internalError: 'Ein Fehler ist aufgetreten',
  internalErrorNext: 'Es ist nichts verloren. Warte kurz und öffne deinen Link dann noch einmal.',
  reference: 'Wenn du Hilfe brauchst, gib diese Kennung an:',

  keptEncrypted:
    'Switchboard speichert die Zugangsdaten deines Kontos verschlüsselt. Du kannst den Zugriff jederzeit widerrufen.',
  privacy: 'Datenschutz',
  help: 'Hilfe',
};
