"""The Python side of `hedgerow-bench peers grow`: how training and queries grow with the number of examples."""

import indexes
from raw import by_index
from shared import answer_requests

PEERS = {"FAISS flat": by_index(indexes.FAISS_FLAT)}


if __name__ == "__main__":
    answer_requests(PEERS, ["faiss-cpu"])
