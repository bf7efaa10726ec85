"""Languages in Latin letters: English-like, German, French, Turkish."""

from nearkin.sample.prose import Language, blend, words

_NUMBERS = tuple(str(7 + 13 * step) for step in range(256))

_EN_NOUNS = (
    "roller sensor scanner bracket driver server password account backup printer adapter display message "
    "invoice section manual voltage current signal channel buffer memory volume schedule policy gateway "
    "license operator housing gasket bearing carriage ribbon spindle antenna terminal keyboard catalogue "
    "workshop counter hopper magnet piston nozzle filter heater cooler socket needle washer pulley clutch "
    "bucket ladder wagon cabinet drawer window handle button switch timer camera mirror folder ledger "
    "parcel pallet carton label ticket report budget tariff"
)
_EN_PLACES = (
    "feed paper drum belt gear disk lamp fan head toner cable motor brake wheel fuse coil rail port dust oil air steam"
)
_EN_THINGS = (
    "lock plate tray guide latch valve pump panel frame spring clip mount slot lens shaft hinge cover "
    "board seal duct hose bolt"
)
_EN_VERBS = (
    "open close lift hold turn slide clean inspect tighten loosen replace connect check record verify "
    "select confirm cancel restart order label store align load seat fold trim mark count sort test bind "
    "map route scan stack drain fill guide clamp stamp cover move block protect report measure accept "
    "reject display transfer receive signal rotate retract engage expand bend heat cool charge drive join "
    "split grip scale track adjust mend paint polish warm wrap wind weigh lower raise reset repair remove "
    "release read write print send pull tune shield soften secure shorten separate scrub"
)

ENGLISH = Language(
    code="en",
    words={
        "N": blend(_EN_NOUNS, _EN_PLACES, _EN_THINGS, joiner=" ", size=400),
        "A": blend(
            "upper lower rear front narrow broken worn loose damaged recent spare optional hidden empty "
            "remote local digital manual external internal primary secondary temporary permanent reliable "
            "sensitive flexible rigid ceramic protective defective genuine seasonal quarterly annual weekly "
            "sudden gradual heated sealed locked folded yellow green orange round square heavy light cold "
            "warm sharp blunt smooth rough early late cheap costly silent noisy steady wet dry deep flat "
            "steep clean dirty rusty greasy dusty fresh stale curved straight double single outer inner "
            "middle left right wide thick thin tall short simple modern former usual common rare bright dim"
        ),
        "V": tuple(f"{verb}s" for verb in blend(_EN_VERBS)),
        "I": blend(_EN_VERBS),
        "D": words("the the the a this each every that another our its your one any either"),
        "P": words("of in on under behind near with without from above beside after before through against for"),
        "C": words("and but while because unless until when since although if whenever whereas so before"),
        "K": _NUMBERS,
    },
    sentences=(
        "{D} {N} {V} {D} {A} {N} {P} {D} {N}",
        "{I} {D} {N} {P} {D} {A} {N}, {C} {D} {N} {V}",
        "{C} {D} {N} {V}, {I} {D} {A} {N} {P} {D} {N}",
        "{I} {K} {N} screws {C} {I} {D} {A} {N}",
        "{D} {A} {N} {V} {P} {K} degrees {C} {D} {N} {V} {A}",
        "{N} and {N} {V}, {C} {D} {N} {P} {D} {N} {V} {A}",
        "{P} {D} {A} {N} you {I} {D} {N} {C} {I} {D} {N}",
        "on {D} {X} {D} {N} {V} {P} {K} {A} {N} parts",
        "{D} {N}'s {N} {V} {D} {N}; {I} {D} {A} {N}",
        "no {N} {V} {P} {D} {N} {C} {D} {A} {N} {V} {D} {N}",
    ),
    titles=(
        "Replacing the {N} in the {X}",
        "{A} {N} on the {X}",
        "How to {I} the {A} {N} of a {X}",
        "{X}: {N} and {N}",
        "When the {N} {V} the {N}",
        "{N} settings for {A} {N}",
        "Notes about {N} {P} the {X}",
        "Service bulletin {K}: {A} {N}",
    ),
)

_DE_PARTS = (
    "Papier Walzen Druck Kabel Motor Lüfter Deckel Riemen Zahnrad Netz Daten Speicher Kunden Wartungs Prüf "
    "Mess Steuer Schalt Kühl Öl Wasser Luft Licht Rahmen Türen Schrauben Feder Halte Sicherheits Grund"
)

GERMAN = Language(
    code="de",
    words={
        "N": blend(
            "Gerät Anleitung Techniker Störung Gehäuse Rückseite Öffnung Rechnung Größe Gewährleistung "
            "Straße Überprüfung",
            _DE_PARTS,
            "fach halter platte leitung gehäuse schlüssel messung anzeige prüfung regler kasten träger "
            "dichtung klappe schutz führung stück wechsel gerät größe liste abschnitt",
            size=640,
        ),
        "A": blend(
            "neue alte lose obere untere hintere vordere genaue übliche defekte",
            "vor nach un ab über teil voll neben hoch",
            "geprüfte gereinigte montierte geöffnete gefüllte gespeicherte bestätigte gelieferte gedrehte "
            "gekühlte verschraubte berechnete bezeichnete geführte beschädigte eingestellte verstärkte "
            "bearbeitete gelöste gemessene getrennte verbundene markierte gezählte geschützte lackierte "
            "begrenzte geladene gepresste sortierte erwärmte",
        ),
        "V": blend(
            "öffnet schließt dreht bewegt prüft meldet blockiert erreicht",
            "über unter durch be ver ent zer er miss",
            "führt hält stellt löst misst trägt legt schreibt druckt zählt kühlt färbt lädt ordnet bindet "
            "spannt teilt schützt formt wendet nutzt zieht schiebt gleitet rollt schaltet speist sperrt "
            "steuert tauscht wärmt",
        ),
        "D": words("die der das eine ein diese jede keine unsere Ihre manche jene"),
        "P": words("mit ohne unter über neben hinter vor nach bei aus gegen für durch zwischen"),
        "C": words("und aber weil wenn bevor nachdem obwohl sobald damit während oder solange"),
        "K": _NUMBERS,
    },
    sentences=(
        "{D} {A} {N} {V} {D} {N} {P} {D} {N}",
        "{C} {D} {N} {D} {A} {N} {V}, {V} {D} {N}",
        "{P} {D} {N} {V} {D} {A} {N} {K} {N}",
        "{D} {N} {V}, {C} {D} {N} {P} {D} {A} {N} {V}",
        "am {X} {V} {D} {N} {P} {K} {A} {N}",
        "{N} und {N} {V} {P} {D} {A} {N}",
    ),
    titles=("{N} am {X}", "{A} {N} {P} {D} {N}", "{X}: {N} und {N}"),
)

FRENCH = Language(
    code="fr",
    words={
        "N": blend(
            "réglage capot panneau câble dépôt élément écran clé façade tiroir pièce réseau moteur rouleau "
            "papier bac levier ressort vis écrou joint pompe vanne filtre courroie poulie roue axe carter "
            "cadre porte vitre lampe fusible bobine aimant bouton voyant clavier fichier dossier courrier "
            "facture devis contrat client agent atelier magasin stock palette carton étiquette rapport "
            "bilan compte somme prix délai jour mois année réunion avis note titre page chapitre tableau "
            "colonne ligne chiffre mesure degré tension courant signal canal débit vitesse chaleur pression "
            "poussière graisse huile encre ruban tambour lame brosse tuyau robinet échelle outil pince "
            "marteau scie"
        ),
        "A": blend(
            "supérieur inférieur neuf usé précis étroit léger coincé large court long épais mince lourd "
            "propre sale sec humide chaud froid tiède ouvert fermé vide plein rond carré droit courbe lisse "
            "rugueux rapide lent bruyant discret récent ancien rare fréquent simple double interne externe "
            "gauche central latéral mobile fixe souple rigide fragile solide clair sombre rouge vert bleu "
            "jaune gris noir blanc réglé serré vérifié protégé"
        ),
        "V": blend(
            "ouvre ferme touche libère dépasse évite reçoit règle fixe charge monte serre place tourne "
            "imprime bloque trace lève coupe mesure compte pose porte tire pousse lie guide range trie plie "
            "marque visse colle suit prend tient vérifie écrit efface chauffe refroidit nettoie démonte "
            "remplace protège signale arrête relance envoie garde perd trouve cherche montre cache sépare "
            "rejoint couvre vide remplit"
        ),
        "D": words("le la les un une ce cette chaque notre votre leur quelque"),
        "P": words("de dans sur sous avec sans après avant contre près pour derrière"),
        "C": words("et mais car lorsque quand puisque si tandis comme avant"),
        "K": _NUMBERS,
    },
    sentences=(
        "{D} {N} {A} {V} {D} {N} {P} l'autre {N}",
        "{C} {D} {N} {V}, {D} {N} {A} {V} {D} {N}",
        "{P} {D} {N}, {D} {N} {V} {K} {N} {A}",
        "sur {D} {X}, {D} {N} {A} {V} {P} {D} {N}",
        "{D} {N} {V} d'un {N} {C} {D} {N} {A} {V}",
    ),
    titles=("{N} {A} du {X}", "{X} : {N} et {N}", "{N} {P} {D} {N} {A}"),
)

TURKISH = Language(
    code="tr",
    words={
        "N": blend(
            "yazıcı kağıt kapak düğme müşteri sürücü ağ parola ölçüm bakım güvenlik",
            "kağıt kablo baskı ölçü kapı yağ güç ışık çark vida taşıma besleme soğut çalış değiş bağla "
            "görüntü açma sürü temiz kontrol dönüş sıkış sayaç",
            "lık cı lar ları sı daki ma mak ım dan üstü altı önü içi",
        ),
        "A": blend(
            "yeni eski üst alt gevşek kırık açık kapalı dolu boş",
            "temiz kırıl değiş ayar ölç bağ güç ışık yağ sıcak soğu geniş dar hız yavaş kur çöz bük döndür "
            "taşı koru sıra",
            "lı sız lanmış lenmiş lık ımsı ca daki üncü tılmış ılan acak",
        ),
        "V": blend(
            "açar kapatır döner durur",
            "çalış değiş bağla temizle ölç kontrol ayarla yükle sık gevşet kaldır yerleş gönder al ver tut "
            "çek it böl say yaz oku",
            "ıyor ır malı acak mış dı tırır abilir ıyordu masın sa ınca",
        ),
        "D": words("bu şu her bir o bazı birçok tüm hiçbir öteki"),
        "P": words("ile için gibi kadar göre sonra önce beri karşı doğru"),
        "C": words("ve ama çünkü eğer fakat veya ancak oysa yani"),
        "K": _NUMBERS,
    },
    sentences=(
        "{D} {A} {N} {N} {P} {D} {N} {V}",
        "{C} {D} {N} {V}, {A} {N} {P} {N} {V}",
        "{X} {P} {D} {N} {K} {A} {N} {V}",
        "{N} {C} {N} {P} {D} {A} {N} {V}",
        "{D} {N} {A} {N} {V} {C} {N} {V}",
    ),
    titles=("{X} {P} {A} {N}", "{N} {C} {N}: {X}", "{A} {N} {P} {N}"),
)

LATIN = (ENGLISH, GERMAN, FRENCH, TURKISH)
