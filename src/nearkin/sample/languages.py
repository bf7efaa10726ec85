"""Languages of the sample: in Latin letters English, German, French and Turkish; in other scripts Russian, Greek,
Arabic, Hindi, Thai, Chinese and Japanese.

In the other scripts no letter changes its length under NFKC and no word has a joiner or a variation selector, so that
counting bytes is counting canonical bytes.
"""

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


RUSSIAN = Language(
    code="ru",
    words={
        "N": blend(
            "бумага ролик датчик ремень крышка лоток кабель мотор насос клапан экран кнопка лампа замок "
            "рычаг винт гайка шайба втулка вал шкив диск плата порт файл сеть узел канал журнал отчёт счёт "
            "заказ склад цех стол шкаф ящик ключ пароль адрес сбой шум нагрев тепло холод вода масло воздух "
            "пыль грязь ткань щётка нож игла зуб колесо ось рама корпус петля ручка стекло линза луч сигнал "
            "режим шаг число строка код знак метка номер дата срок план смена мастер клиент фирма цена "
            "сумма"
        ),
        "A": blend(
            "новый старый узкий малый общий правый левый пустой полный чистый ровный гибкий острый тонкий "
            "мягкий жёсткий сухой тёплый ясный точный слабый сильный прочный ручной второй первый третий "
            "чужой целый редкий частый нужный важный лёгкий резкий белый чёрный серый синий прямой косой"
        ),
        "V": blend(
            "греет держит меняет крутит тянет давит режет моет сушит ставит берёт кладёт пишет читает видит "
            "слышит ломает чинит красит клеит варит пилит точит гнёт мнёт льёт гонит водит носит возит ведёт "
            "везёт шлёт ждёт ищет терпит ловит бьёт жмёт трёт"
        ),
        "D": words("этот тот каждый наш ваш любой другой один весь самый"),
        "P": words("в на под за без через после перед из от для около над"),
        "C": words("и но если когда потому пока или чтобы хотя зато"),
        "K": _NUMBERS,
    },
    sentences=(
        "{D} {A} {N} {V} {N} {P} {D} {N}",
        "{C} {D} {N} {V} {A} {N}, {N} {V}",
        "{P} {D} {N} {V} {K} {A} {N}",
        "{N} {C} {N} {V} {P} {D} {A} {N}",
        "{P} {X} {D} {N} {V} {A} {N}",
    ),
    titles=("{A} {N} {P} {X}", "{X}: {N} {C} {N}", "{N} {P} {D} {N}"),
)

GREEK = Language(
    code="el",
    words={
        "N": blend(
            "χαρτί μέλος οθόνη κλειδί πόρτα ρόδα φως νερό λάδι αέρας σκόνη βίδα πλάκα κουμπί θύρα δίκτυο "
            "φίλτρο λάμπα σήμα κύμα βήμα τιμή ποσό μήνας χρόνος σελίδα λίστα όνομα τόπος χώρος κουτί ράφι "
            "τοίχος σκάλα πελάτης τμήμα μέρος όριο γωνία πλευρά άκρη κέντρο βάση κορμός κεφαλή χέρι μάτι "
            "δόντι γλώσσα φωνή ήχος χρώμα μελάνι πένα βιβλίο τεύχος σχέδιο έργο λάθος δοκιμή"
        ),
        "A": blend(
            "νέος παλιός μικρός μεγάλος στενός πλατύς βαρύς ζεστός κρύος καθαρός σκληρός μαλακός ίσιος "
            "στραβός γεμάτος άδειος κοντός μακρύς λεπτός παχύς αργός άσπρος μαύρος γκρίζος δεξιός σωστός "
            "ωραίος φτηνός ακριβός ξένος δικός πρώτος τρίτος"
        ),
        "V": blend(
            "ανοίγει κλείνει γυρίζει κόβει δένει λύνει σπάει βάζει βγάζει παίρνει δίνει στέλνει φέρνει "
            "κρατά αφήνει πιάνει τραβά γράφει σβήνει ανάβει βρέχει μετρά ζυγίζει δείχνει κρύβει βρίσκει "
            "χάνει ψάχνει αλλάζει χτίζει πλένει βάφει ράβει"
        ),
        "D": words("ο η το ένας μία κάθε αυτό εκείνη άλλος όλα"),
        "P": words("με χωρίς για από προς σε μετά πριν κατά μέχρι"),
        "C": words("και αλλά όταν αν επειδή ενώ ώστε ή αφού"),
        "K": _NUMBERS,
    },
    sentences=(
        "{D} {A} {N} {V} {D} {N} {P} {N}",
        "{C} {D} {N} {V}, {D} {A} {N} {V}",
        "{P} {D} {N} {V} {K} {A} {N}",
        "{P} {X} {D} {N} {V} {N} {C} {N}",
    ),
    titles=("{A} {N} {P} {X}", "{X}: {N} {C} {N}", "{N} {P} {D} {N}"),
)

_AR = (
    "طابع ورق غطاء محرك زيت ضوء كابل شبك خادم ملف حساب جهاز قفل لوح مفتاح حزام مرشح عمود صمام مقياس خزان منفذ ذراع سلك"
)

ARABIC = Language(
    code="ar",
    words={
        "N": blend(
            "الصيانة الضمان الفني التعليمات",
            " ".join("ال" + word for word in _AR.split()),
            "ة ات ين ون ي ية ان تها هم نا ها ك",
        ),
        "A": blend(
            "جديد قديم علوي سفلي",
            "مفتوح مغلق مكسور مربوط مطبوع محفوظ منقول مضغوط مبرد معدل مراقب مفحوص مجمع مسجل ملون مرتب محدد "
            "مقاس موصول مشدود منظف مركب",
            "ة ات ين ون ان تين هما كم نا ها ية يات",
        ),
        "V": blend(
            "يعمل يقف يدور",
            "ي ت ن سي ست وي فت",
            "فتح غلق طبع ربط حفظ نقل ضغط برد عدل راقب فحص جمع سجل رتب حدد قيس وصل شد نظف ركب رفع خفض دفع "
            "سحب قطع وزن كتب قرا حسب خزن شحن فرغ ملا عكس مسح فصل دعم",
        ),
        "D": words("هذا هذه كل ذلك تلك بعض أي نفس"),
        "P": words("في على من إلى تحت فوق بعد قبل بين عند مع بدون"),
        "C": words("ثم لكن إذا لأن حتى عندما أو بينما"),
        "K": _NUMBERS,
    },
    sentences=(
        "{V} {D} {N} {A} {P} {N} {C} {V} {N}",
        "{C} {V} {N} {A} {P} {D} {N}، {V} {N}",
        "{P} {X} {V} {D} {N} {K} {N} {A}",
        "{D} {N} {V} {N} {A} {P} {N} {A}",
    ),
    titles=("{N} {A} {P} {X}", "{X}: {N} {C} {N}", "{N} {P} {N} {A}"),
)

HINDI = Language(
    code="hi",
    words={
        "N": blend(
            "तार पंखा बटन तेल जल गति माप जाल लेख चाबी घर नल पेच कील तख्ता शीशा रंग कलम पत्र सूची पता नाम दिन "
            "मास साल समय भाव दाम धन खाता काम दल नगर गली मकान कमरा मेज छत द्वार ताला रस्सी डोरी चक्का पहिया "
            "धुरी नली टंकी घंटी बत्ती आग हवा धूल मिट्टी लोहा तांबा पीतल कांच लकडी कपास ऊन धागा सुई कैंची चाकू "
            "आरी रेती भट्ठी चूल्हा सेवा यंत्र चालक"
        ),
        "A": blend(
            "नया पुराना छोटा बडा लंबा चौडा मोटा पतला भारी हल्का गरम ठंडा सूखा गीला साफ गंदा तेज धीमा ऊंचा "
            "नीचा खाली भरा पक्का कच्चा सीधा टेढा कठोर नरम लाल हरा नीला पीला काला सफेद सही गलत"
        ),
        "V": blend("चलता रुकता घूमता", "खोल बदल जोड दबा उठा लगा माप लिख पढ भेज रोक कस भर गिन चुन रख काट", "ता ती ते ना कर"),
        "D": words("यह वह हर कोई एक सभी कुछ दूसरा अपना"),
        "P": words("में पर से तक नीचे ऊपर बाद पहले साथ बिना"),
        "C": words("और लेकिन यदि जब क्योंकि तो या जबकि"),
        "K": _NUMBERS,
    },
    sentences=(
        "{D} {A} {N} {N} {P} {N} {V}",
        "{C} {D} {N} {P} {A} {N} {V}, {N} {V}",
        "{X} {P} {D} {N} {K} {A} {N} {V}",
        "{N} {C} {N} {P} {D} {A} {N} {V}",
    ),
    titles=("{X} {P} {A} {N}", "{N} {C} {N}", "{A} {N} {P} {N}"),
    stop="।",
)

_TH = "ฝา สาย ไฟ ล้อ ถาด ภาพ แรง ดัน ตู้ หัว ท่อ ลม ยาง ตา มือ ชุด จอ ใบ ไม้ เตา ขา คอ ราง ฐาน งาน ผล รูป วัน เงิน บัตร"

THAI = Language(
    code="th",
    words={
        "N": blend("ลูกค้า ระบบ", _TH, _TH),
        "A": blend("ใหม่ เก่า", "บน ดี ยาว หนา บาง เร็ว ช้า เบา ดำ แดง ขาว เต็ม ว่าง", "มาก สุด พอ จริง ลง แล้ว กว่า นัก ครบ อยู่"),
        "V": blend("หมุน หยุด", "เปิด ปิด ถอด ใส่ กด ยก ดึง ล้าง วัด ต่อ เก็บ ส่ง รับ อ่าน", "ออก เข้า ลง ไว้ ให้ ดู ถึง รอ ไป มา"),
        "D": words("นี้ นั้น ทุก แต่ละ บาง หลาย อื่น"),
        "P": words("ใน บน ใต้ จาก กับ โดย ที่ หลัง ก่อน ของ เพื่อ"),
        "C": words("และ แต่ ถ้า เมื่อ เพราะ หรือ จนกว่า ดังนั้น"),
        "K": _NUMBERS,
    },
    sentences=(
        "{N} {D} {V} {N} {A} {P} {N}",
        "{C} {N} {V} {P} {N} {A} {V} {N}",
        "{V} {N} {K} {P} {X} {C} {V} {N} {A}",
        "{N} {A} {C} {N} {V} {P} {N} {D}",
    ),
    titles=("{V} {N} {P} {X}", "{N} {C} {N} {A}"),
    spaced=False,
    stop=" ",
)

_ZH = (
    "纸 机 电 水 油 气 光 热 冷 轴 轮 板 盖 线 网 数 据 文 件 码 表 器 箱 门 窗 管 阀 泵 针 刀 架 座 壳 屏 "
    "键 灯 带 链 槽 芯 墨 粉 盘 卡 钥 锁 库 台 桥 路"
)

CHINESE = Language(
    code="zh",
    words={
        "N": blend("打印机 传感器 客户 服务", _ZH, _ZH, size=1024),
        "A": blend(
            "新的 旧的",
            "高 低 大 小 长 短 快 慢 软 硬 干 湿 厚 薄 松 紧 明 暗 远 近",
            "速 温 压 频 效 质 量 级 型 色 度 位 形 态 性 层",
        ),
        "V": blend(
            "检查 更换",
            "打 关 拉 推 转 移 装 拆 调 测 清 擦 压 提 放 接 断 送 收 读 写 存 印",
            "开 好 动 出 入 上 下 回 过 完 准 净 紧 稳 齐",
        ),
        "D": words("这 那 每 各 某 该 本 另"),
        "P": words("在 从 向 用 对 按 由 与 沿 经"),
        "C": words("并 但 若 当 因 或 而 则 再"),
        "K": _NUMBERS,
    },
    sentences=(
        "{D} {N} {V} {A} {N}，{C} {V} {N}",
        "{P} {N} {V} {D} {A} {N}",
        "{C} {N} {V} {N}，{D} {N} {P} {N} {V}",
        "{P} {X} {V} {K} {N}，{V} {A} {N}",
        "{N} 和 {N} {V} {P} {A} {N}",
    ),
    titles=("{V} {X} 的 {N}", "{A} {N} 与 {N}"),
    spaced=False,
    stop="。",
)

_JA = (
    "印 刷 機 紙 電 源 熱 油 水 軸 輪 板 蓋 線 網 数 値 文 書 番 号 表 器 箱 扉 管 弁 針 刃 台 座 面 鍵 "
    "灯 帯 溝 芯 粉 盤 庫"
)

JAPANESE = Language(
    code="ja",
    words={
        "N": blend("プリンター センサー サーバー カバー ローラー", _JA, _JA, size=1024),
        "A": blend(
            "新しい 古い",
            "高 低 大 小 長 短 速 遅 軟 硬 乾 湿 厚 薄 緩 強 明 暗",
            "温な 圧の 質な 型の 度な 級の 色の 位な 形の 層の 性な 率の 域の 種な 等の",
        ),
        "V": blend(
            "動く 止まる",
            "交換 点検 調整 測定 清掃 確認 接続 切断 送信 受信 保存 登録 固定 分解 加熱 冷却 記録 選択",
            "する した します しない できる させる された したい すべき しよう している せず していた するな しても",
        ),
        "D": words("この その あの 各 全 別の 同じ"),
        "P": words("は が を に で と の から まで へ"),
        "C": words("また しかし もし ので ため さらに または"),
        "K": _NUMBERS,
    },
    sentences=(
        "{D} {N} {P} {A} {N} {P} {V}",
        "{C} {N} {P} {N} {P} {V}、{N} を {V}",
        "{X} {P} {D} {N} {P} {K} {N} を {V}",
        "{A} {N} と {N} {P} {V}",
    ),
    titles=("{X} の {N} を {V}", "{A} {N} と {N}"),
    spaced=False,
    stop="。",
)

WORLD = (RUSSIAN, GREEK, ARABIC, HINDI, THAI, CHINESE, JAPANESE)
